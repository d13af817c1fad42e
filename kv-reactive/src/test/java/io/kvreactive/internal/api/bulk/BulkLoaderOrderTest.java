package io.kvreactive.internal.api.bulk;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.CommitResult;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvLimits;
import io.kvreactive.KvRecord;
import io.kvreactive.KvValue;
import io.kvreactive.LoadOptions;
import io.kvreactive.LoadProgress;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.shared.CallbackThread;
import io.kvreactive.internal.shared.SubscriberContext;
import io.kvreactive.internal.value.ValueMapper;
import io.kvreactive.spi.ChangesRequest;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.CommittedChanges;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A load on an engine that rejects some commits and answers after random delays. */
class BulkLoaderOrderTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final ValueMapper VALUES = new ValueMapper();

  /** Executes commits in the order of arrival, unless it rejects them. */
  private static final class Moody implements KvEngine {
    private final Map<byte[], KvValue> state = new TreeMap<>(Arrays::compareUnsigned);
    private final Random random;
    private long version;
    private int refused;

    Moody(int seed) {
      random = new Random(seed);
    }

    @Override
    public Flux<CommittedChanges> changes(ChangesRequest request) {
      return Flux.error(new UnsupportedOperationException());
    }

    @Override
    public Mono<CommitResult> commit(Commit commit) {
      return Mono.defer(() -> taken(commit)).flatMap(this::later);
    }

    private synchronized Mono<CommitResult> taken(Commit commit) {
      if (random.nextInt(5) == 0) {
        refused++;
        KvException overloaded = new KvException(KvErrorCode.OVERLOADED, "not now");
        return random.nextBoolean()
            ? Mono.error(overloaded)
            : Mono.delay(Duration.ofMillis(1)).then(Mono.error(overloaded));
      }
      for (Mutation mutation : commit.mutations()) {
        state.put(mutation.key(), ((Mutation.Set) mutation).value());
      }
      return Mono.just(CommitResult.committed(Versionstamp.of(++version)));
    }

    private Mono<CommitResult> later(CommitResult result) {
      int micros = ThreadLocalRandom.current().nextInt(3000);
      return micros < 1000
          ? Mono.just(result)
          : Mono.delay(Duration.ofNanos(micros * 1000L)).thenReturn(result);
    }

    @Override
    public LongAdder userOperations() {
      throw new UnsupportedOperationException();
    }

    @Override
    public KvLimits limits() {
      return KvLimits.DEFAULT;
    }

    @Override
    public Mono<ReadResult> read(
        List<ReadRange> ranges, @Nullable Snapshot snapshot, long maxBytes) {
      return Mono.error(new UnsupportedOperationException());
    }

    @Override
    public Mono<Long> count(byte[] start, byte[] end) {
      return Mono.error(new UnsupportedOperationException());
    }

    @Override
    public Mono<Snapshot> snapshot() {
      return Mono.error(new UnsupportedOperationException());
    }

    @Override
    public Flux<ReadResult> watch(List<byte[]> keys) {
      return Flux.error(new UnsupportedOperationException());
    }

    @Override
    public Mono<Void> close() {
      return Mono.empty();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void keepsTheLastRecordOfAKeyDespiteRejections(int seed) {
    Moody engine = new Moody(seed);
    SubscriberContext subscriberContext =
        new SubscriberContext(new CallbackThread("kv-callback-test"));
    Random random = new Random(seed);
    int[] keys = random.ints(600, 0, 20).toArray();
    Map<byte[], KvValue> expected = new TreeMap<>(Arrays::compareUnsigned);
    for (int i = 0; i < keys.length; i++) {
      expected.put(KvKey.of(keys[i]).bytes(), VALUES.encode(i));
    }
    List<LoadProgress> progress =
        Flux.defer(
                () ->
                    new BulkLoader(engine, VALUES, subscriberContext)
                        .load(
                            Flux.range(0, keys.length).map(i -> KvRecord.of(KvKey.of(keys[i]), i)),
                            LoadOptions.DEFAULT.withBatchEntries(10).withConcurrency(6)))
            .collectList()
            .block(TIMEOUT);
    assertThat(engine.refused).isPositive();
    assertThat(engine.state).isEqualTo(expected);
    assertThat(progress).hasSize(60);
    assertThat(progress).extracting(LoadProgress::entries).isSorted().endsWith(600L);
    assertThat(progress).extracting(LoadProgress::versionstamp).isSorted();
  }
}
