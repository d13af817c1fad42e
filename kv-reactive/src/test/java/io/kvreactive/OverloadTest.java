package io.kvreactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.ListOptions.Consistency;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;
import reactor.test.StepVerifier;

/** Rejections when a mailbox is full, and recovery. */
@ExtendWith(VertxExtension.class)
class OverloadTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @TempDir Path directory;
  private Vertx vertx;

  @BeforeEach
  void use(Vertx vertx) {
    this.vertx = vertx;
  }

  private Kv open(KvOptions options) {
    return Kv.open(vertx, options).block(TIMEOUT);
  }

  /** Submits the given number of commits at once. */
  private static List<Signal<Versionstamp>> burst(Kv kv, int commits, int bytes) {
    return Flux.range(0, commits)
        .flatMap(i -> kv.set(KvKey.of("b", i), new byte[bytes]).materialize(), commits)
        .collectList()
        .block(TIMEOUT);
  }

  private static void someRefusedNoneOtherwiseFailed(Kv kv, List<Signal<Versionstamp>> signals) {
    assertThat(signals)
        .filteredOn(Signal::isOnError)
        .isNotEmpty()
        .allSatisfy(
            s ->
                assertThat(((KvException) s.getThrowable()).code())
                    .isEqualTo(KvErrorCode.OVERLOADED))
        .allSatisfy(s -> assertThat(((KvException) s.getThrowable()).retryable()).isTrue());
    long stored = signals.stream().filter(Signal::isOnNext).count();
    assertThat(kv.count(KvRange.prefix("b")).block(TIMEOUT)).isEqualTo(stored);
    assertThat(kv.set(KvKey.of("after"), 1).block(TIMEOUT)).isNotNull();
  }

  @Test
  void rejectsCommitsWhenTheMailboxIsFullAndRecovers() {
    Kv kv = open(KvOptions.at(directory).withMailbox(1, 1 << 20));

    someRefusedNoneOtherwiseFailed(kv, burst(kv, 2000, 10));
  }

  @Test
  void rejectsCommitsWhenTheMailboxHoldsTooManyBytesAndRecovers() {
    Kv kv = open(KvOptions.at(directory).withMailbox(100_000, 64 << 10));

    someRefusedNoneOtherwiseFailed(kv, burst(kv, 500, 30_000));
  }

  @Test
  void acceptsASingleCommitLargerThanTheMailbox() {
    Kv kv = open(KvOptions.at(directory).withMailbox(10, 1000));

    assertThat(kv.set(KvKey.of("large"), new byte[100_000]).block(TIMEOUT)).isNotNull();
  }

  @Test
  void acceptsRetriesOfRejectedCommits() {
    Kv kv = open(KvOptions.at(directory).withMailbox(4, 1 << 20));
    var retry =
        reactor.util.retry.Retry.fixedDelay(Long.MAX_VALUE, Duration.ofMillis(2))
            .filter(e -> e instanceof KvException failure && failure.retryable());

    Flux.range(0, 500)
        .flatMap(i -> kv.set(KvKey.of("b", i), i).retryWhen(retry), 100)
        .blockLast(TIMEOUT);

    assertThat(kv.count(KvRange.prefix("b")).block(TIMEOUT)).isEqualTo(500);
  }

  private static Mono<?> megabyte(Kv kv, int round) {
    return Flux.range(0, 16)
        .concatMap(i -> kv.set(KvKey.of("filler", round, i), new byte[64 << 10]))
        .last();
  }

  @Test
  void endsAStalledSnapshotListWithoutAffectingOthers() {
    Kv kv = open(KvOptions.at(directory).withMemoryBytes(1 << 20));
    Flux.range(0, 3000).flatMap(i -> kv.set(KvKey.of("n", i), i)).blockLast(TIMEOUT);
    KvRange range = KvRange.prefix("n");
    ListOptions snapshot = ListOptions.DEFAULT.withConsistency(Consistency.SNAPSHOT);
    List<KvKey> keys =
        java.util.stream.IntStream.range(0, 3000).mapToObj(i -> KvKey.of("n", i)).toList();
    Runnable writes =
        () -> Flux.range(0, 8).concatMap(round -> megabyte(kv, round)).blockLast(TIMEOUT);

    StepVerifier.create(kv.list(range, snapshot), 0)
        .thenRequest(1)
        .expectNextCount(1)
        .then(writes)
        .thenRequest(Long.MAX_VALUE)
        .thenConsumeWhile(entry -> true)
        .expectErrorSatisfies(OverloadTest::tooOld)
        .verify(TIMEOUT);
    StepVerifier.create(kv.getMany(keys), 0)
        .thenRequest(1)
        .expectNextCount(1)
        .then(writes)
        .thenRequest(Long.MAX_VALUE)
        .thenConsumeWhile(entry -> true)
        .expectErrorSatisfies(OverloadTest::tooOld)
        .verify(TIMEOUT);
    StepVerifier.create(kv.list(range), 0)
        .thenRequest(1)
        .expectNextCount(1)
        .then(writes)
        .thenRequest(Long.MAX_VALUE)
        .expectNextCount(2999)
        .expectComplete()
        .verify(TIMEOUT);
    assertThat(kv.list(range, snapshot).count().block(TIMEOUT)).isEqualTo(3000);
  }

  private static void tooOld(Throwable error) {
    assertThat(error)
        .isInstanceOfSatisfying(
            KvException.class,
            e -> {
              assertThat(e.code()).isEqualTo(KvErrorCode.SNAPSHOT_TOO_OLD);
              assertThat(e.retryable()).isTrue();
            });
  }
}
