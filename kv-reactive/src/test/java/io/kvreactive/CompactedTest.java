package io.kvreactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** Stores with little retention of changes. */
@ExtendWith(VertxExtension.class)
class CompactedTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final int MIB = 1 << 20;
  private static final int VALUE = 50_000;

  @TempDir static Path temp;

  static Stream<KvOptions> options() {
    return Stream.of(KvOptions.at(temp.resolve("store")), KvOptions.inMemory())
        .map(options -> options.withMemoryBytes(MIB).withLogRetention(0, Duration.ZERO));
  }

  @ParameterizedTest
  @MethodSource("options")
  void reportsTheOldestVersionToAFeedThatFallsBehind(KvOptions options, Vertx vertx) {
    Kv kv = Kv.open(vertx, options).block(TIMEOUT);
    KvRange range = KvRange.prefix("n");
    StepVerifier.create(kv.changes(range, Versionstamp.ZERO), 0)
        .then(() -> fill(kv, 1000))
        .thenRequest(1)
        .expectErrorSatisfies(e -> assertThat(code(e)).isEqualTo(KvErrorCode.COMPACTED))
        .verify(TIMEOUT);

    Versionstamp oldest = Versionstamp.ZERO;
    List<Versionstamp> rest = null;
    while (rest == null) { // retention shrinks until the last memtable is written
      try {
        rest = stamps(kv.changes(range, oldest), 1000 - oldest.version());
      } catch (KvException failed) {
        assertThat(failed.code()).isEqualTo(KvErrorCode.COMPACTED);
        assertThat(failed.retryable()).isFalse();
        assertThat(failed.oldest()).isNotNull().isGreaterThan(oldest);
        assertThat(failed.since()).isNotNull().isGreaterThanOrEqualTo(oldest);
        assertThat(failed.isLost()).isFalse();
        oldest = failed.oldest();
        assertThat(failed).hasMessageContaining(oldest.toString());
      }
    }
    assertThat(oldest).isNotEqualTo(Versionstamp.ZERO);
    assertThat(rest)
        .isEqualTo(
            LongStream.rangeClosed(oldest.version() + 1, 1000).mapToObj(Versionstamp::of).toList());
    kv.close().block(TIMEOUT);
  }

  private static List<Versionstamp> stamps(Flux<KvCommit<Object>> changes, long count) {
    return changes.map(KvCommit::versionstamp).take(count).collectList().block(TIMEOUT);
  }

  private static void fill(Kv kv, int commits) {
    Flux.range(0, commits)
        .flatMapSequential(i -> kv.set(KvKey.of("n", i % 20), new byte[VALUE]), 8)
        .blockLast(TIMEOUT);
  }

  private static KvErrorCode code(Throwable e) {
    return ((KvException) e).code();
  }

  @Test
  void rejectsRequestsForOldValuesThatAreNotKept(Vertx vertx) {
    Kv kv = Kv.inMemory(vertx).block(TIMEOUT);
    var options = io.kvreactive.ChangesOptions.DEFAULT.withOldValues(true);
    StepVerifier.create(kv.changes(KvRange.all(), null, options, Object.class))
        .expectErrorSatisfies(
            e -> {
              assertThat(code(e)).isEqualTo(KvErrorCode.INVALID_ARGUMENT);
              assertThat(e).hasMessageContaining("oldValues: true");
            })
        .verify(TIMEOUT);
    kv.close().block(TIMEOUT);
  }
}
