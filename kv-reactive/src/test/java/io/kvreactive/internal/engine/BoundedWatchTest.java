package io.kvreactive.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.KvValue;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import java.time.Duration;
import java.util.AbstractList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.test.StepVerifier;

/** A watch with a limit on the bytes of its state. */
class BoundedWatchTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final int VALUE_BYTES = 10_000;
  private static final int KEYS = 100;

  private final ExecutorService storeThread = Executors.newSingleThreadExecutor();
  private EmbeddedEngine engine;

  @BeforeEach
  void open() {
    engine = EmbeddedEngine.open(KvOptions.inMemory().withName("bounded"), storeThread);
    IntStream.range(0, KEYS).forEach(i -> set(i, VALUE_BYTES));
  }

  @AfterEach
  void close() {
    engine.close().block(TIMEOUT);
    storeThread.shutdown();
  }

  private static byte[] key(int i) {
    return KvKey.of("k", i).bytes();
  }

  private static List<byte[]> keys(int n) {
    return IntStream.range(0, n).mapToObj(BoundedWatchTest::key).toList();
  }

  private void set(int i, int bytes) {
    KvValue value = new KvValue(KvValue.Encoding.BYTES, new byte[bytes]);
    engine.commit(Commit.of(new Mutation.Set(key(i), value))).block(TIMEOUT);
  }

  @Test
  void readsAtMostTheBound() {
    AtomicInteger read = new AtomicInteger();
    List<ReadRange> counted =
        new AbstractList<>() {
          @Override
          public ReadRange get(int index) {
            read.incrementAndGet();
            return ReadRange.point(key(index));
          }

          @Override
          public int size() {
            return KEYS;
          }
        };
    try (var newest = engine.store().snapshot()) {
      assertThatThrownBy(() -> PageReader.points(newest, counted, 5 * VALUE_BYTES))
          .isInstanceOfSatisfying(
              KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.LIMIT_EXCEEDED));
    }
    assertThat(read).hasValue(5); // of values of 10,000 bytes and their keys
  }

  @Test
  void failsOnlyForStatesAboveTheBound() {
    StepVerifier.create(engine.watch(keys(20), 10 * VALUE_BYTES))
        .expectErrorSatisfies(
            e ->
                assertThat(e)
                    .hasMessageContaining("at most 100000 bytes")
                    .extracting(failure -> ((KvException) failure).code())
                    .isEqualTo(KvErrorCode.LIMIT_EXCEEDED))
        .verify(TIMEOUT);
    StepVerifier.create(engine.watch(keys(9), 10 * VALUE_BYTES))
        .assertNext(state -> assertThat(state.bytes()).isBetween(90_000L, 91_000L))
        .thenCancel()
        .verify(TIMEOUT);
  }

  @Test
  void failsWhenKeysGrowBeyondTheBound() {
    StepVerifier.create(engine.watch(keys(2), 3 * VALUE_BYTES).map(ReadResult::bytes))
        .expectNextCount(1)
        .then(() -> set(1, 3 * VALUE_BYTES))
        .expectErrorMatches(e -> ((KvException) e).code() == KvErrorCode.LIMIT_EXCEEDED)
        .verify(TIMEOUT);
  }

  @Test
  void readsAllWithoutABound() {
    StepVerifier.create(engine.watch(keys(KEYS)).map(state -> state.pages().size()))
        .expectNext(KEYS)
        .thenCancel()
        .verify(TIMEOUT);
  }
}
