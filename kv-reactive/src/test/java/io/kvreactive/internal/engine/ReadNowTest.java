package io.kvreactive.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvLimits;
import io.kvreactive.KvOptions;
import io.kvreactive.KvValue;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;

/** Reads on the calling thread: equal to ordinary reads, or null if they would block. */
class ReadNowTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final KvKey A = KvKey.of("a");
  private static final KvKey B = KvKey.of("b");

  @TempDir Path directory;
  private ExecutorService storeThread;
  private EmbeddedEngine engine;

  @BeforeEach
  void open() {
    storeThread = Executors.newSingleThreadExecutor();
    engine = EmbeddedEngine.open(KvOptions.at(directory).withMemoryBytes(1 << 20), storeThread);
  }

  @AfterEach
  void close() {
    engine.close().block(TIMEOUT);
    storeThread.shutdown();
  }

  private void commit(Mutation mutation) {
    engine.commit(Commit.of(mutation)).block(TIMEOUT);
  }

  private static Mutation set(KvKey key, int bytes, long expireAt) {
    KvValue value = new KvValue(KvValue.Encoding.BYTES, new byte[bytes]);
    return new Mutation.Set(key.bytes(), value, expireAt);
  }

  private static List<ReadRange> points(KvKey... keys) {
    return Stream.of(keys).map(key -> ReadRange.point(key.bytes())).toList();
  }

  private static List<List<String>> texts(ReadResult result) {
    return result.pages().stream()
        .map(RangePage::entries)
        .map(
            entries ->
                entries.stream()
                    .map(
                        entry ->
                            "%s %d %s"
                                .formatted(
                                    KvKey.decode(entry.key()),
                                    entry.value() == null ? -1 : entry.value().bytes().length,
                                    entry.versionstamp()))
                    .toList())
        .toList();
  }

  private void assertAsRead(List<ReadRange> ranges) {
    ReadResult now;
    ReadResult read;
    do { // expired keys may be removed between the two reads
      now = engine.readNow(ranges);
      assertThat(now).isNotNull();
      read = engine.read(ranges, null).block(TIMEOUT);
    } while (now.snapshot().compareTo(read.snapshot()) < 0);
    assertThat(now.snapshot()).isEqualTo(read.snapshot());
    assertThat(texts(now)).isEqualTo(texts(read));
  }

  @Test
  void readsRecentWritesImmediately() {
    commit(set(A, 1, 0));
    commit(set(B, 2, 0));
    assertAsRead(points(A, B, A));
    commit(set(A, 3, 0));
    assertAsRead(points(A));
    byte[] start = A.bytes();
    byte[] end = ReadRange.point(start).end();
    assertAsRead(List.of(new ReadRange(start, end, 1, false, true)));
  }

  @Test
  void knowsDeletedAndExpiredKeysAsAbsent() {
    commit(set(A, 1, 0));
    commit(new Mutation.Delete(A.bytes()));
    commit(set(B, 1, engine.now() - 1));
    assertAsRead(points(A, B));
    assertThat(texts(engine.readNow(points(A, B)))).isEqualTo(List.of(List.of(), List.of()));
    commit(set(A, 1, 0));
    commit(new Mutation.DeleteRange(A.bytes(), B.bytes()));
    assertAsRead(points(A));
  }

  /** Such reads may block an event loop for longer than a thread hop takes. */
  @Test
  void declinesRangesAndManyKeys() {
    commit(set(A, 1, 0));
    assertThat(engine.readNow(List.of(new ReadRange(A.bytes(), B.bytes(), 1, false, false))))
        .isNull();
    assertThat(engine.readNow(Collections.nCopies(1000, ReadRange.point(A.bytes())))).isNull();
  }

  @Test
  void declinesKeysThatLeftMemory() {
    assertThat(engine.readNow(points(A))).isNull(); // unknown without a read
    commit(set(A, 1, 0));
    for (int i = 0; i < 100; i++) {
      commit(set(KvKey.of("other", i), 50_000, 0));
    }
    await(() -> engine.readNow(points(A)) == null);
    assertThat(engine.readNow(points(KvKey.of("other", 99), A))).isNull();
    assertThat(texts(engine.read(points(A), null).block(TIMEOUT)).get(0)).hasSize(1);
  }

  private static void await(java.util.function.BooleanSupplier condition) {
    Flux.interval(Duration.ZERO, Duration.ofMillis(5))
        .onBackpressureDrop()
        .takeUntil(tick -> condition.getAsBoolean())
        .blockLast(TIMEOUT);
  }

  @Test
  void failsLikeARead() {
    byte[] tooLong = new byte[KvLimits.DEFAULT.maxReadKeyBytes()];
    assertThatThrownBy(() -> engine.readNow(List.of(ReadRange.point(tooLong))))
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.LIMIT_EXCEEDED));
    commit(set(A, 1, 0));
    engine.close().block(TIMEOUT);
    assertThatThrownBy(() -> engine.readNow(points(A)))
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.CLOSED));
  }

  @Test
  void hidesReservedKeysOfTheStore() {
    byte[] own = {(byte) 0xFF, 1};
    assertThat(engine.readNow(List.of(ReadRange.point(own)))).isNull();
  }
}
