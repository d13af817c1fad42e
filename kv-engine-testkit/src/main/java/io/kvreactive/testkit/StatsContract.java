package io.kvreactive.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.EnqueueOptions;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRange;
import io.kvreactive.KvRecord;
import io.kvreactive.KvStats;
import io.kvreactive.ListOptions;
import io.kvreactive.ListOptions.Consistency;
import io.kvreactive.QueueOptions;
import io.kvreactive.Versionstamp;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Predicate;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/**
 * Statistics of a store, and their changes.
 *
 * <p>An engine whose storage has no log or no memory overrides the tests of their sizes.
 */
public abstract class StatsContract extends KvContract {
  private static final KvKey A = KvKey.of("a");

  @Override
  protected KvOptions configured(KvOptions options) {
    return options.withMailbox(20, 4 << 20);
  }

  private KvStats stats() {
    return get(kv.admin().stats());
  }

  private KvStats until(Predicate<KvStats> condition) {
    return get(kv.admin().stats().repeat().filter(condition).next());
  }

  private static KvKey k(int i) {
    return KvKey.of("k", i);
  }

  @Test
  public void reportsNothingForAnEmptyStore() {
    KvStats stats = stats();
    assertThat(stats.version()).isEqualTo(Versionstamp.ZERO);
    assertThat(stats.lastCommit()).isNull();
    assertThat(stats.failure()).isNull();
    assertThat(stats.storage().keys()).isZero();
    assertThat(stats.commits().commits()).isZero();
    assertThat(stats.commits().latency().count()).isZero();
    assertThat(stats.queues()).isEmpty();
  }

  @Test
  public void countsAndTimesCommits() {
    KvStats before = stats();
    Instant start = Instant.now().minusSeconds(1);
    Versionstamp first = set(A, 1);
    Versionstamp last = first;
    for (int i = 0; i < 9; i++) {
      last = set(A, i);
    }
    KvStats after = stats();
    assertThat(after.version()).isEqualTo(last);
    assertThat(after.durable()).isEqualTo(last);
    assertThat(after.lastCommit()).isAfter(start);
    assertThat(after.commits().commits() - before.commits().commits()).isEqualTo(10);
    assertThat(after.commits().batches() - before.commits().batches()).isBetween(1L, 10L);
    assertThat(after.commits().conflicts()).isEqualTo(before.commits().conflicts());
    assertThat(after.commits().perSecond()).isBetween(0.0, 10.0);
    assertThat(after.commits().waiting()).isZero();
    assertThat(after.commits().waitingBytes()).isZero();
    assertThat(after.commits().latency().count()).isEqualTo(10);
    assertThat(after.commits().latency().p50()).isPositive();
    assertThat(after.commits().latency().max())
        .isGreaterThanOrEqualTo(after.commits().latency().p999());
    assertThat(after.commits().sync().count() > 0).isEqualTo(durable());
    // of the last ten seconds, which may have passed at the answer
    get(
        kv.set(A, 1)
            .then(kv.admin().stats())
            .repeat()
            .filter(s -> s.commits().perSecond() > 0)
            .next());
  }

  @Test
  public void countsConflicts() {
    set(A, 1);
    get(kv.atomic().checkAbsent(A).set(A, 2).commit());
    get(kv.atomic().checkAbsent(A).set(A, 2).commit());
    assertThat(stats().commits().conflicts()).isEqualTo(2);
    assertThat(stats().commits().commits()).isEqualTo(1);
  }

  @Test
  public void countsRejectedCommits() {
    Assumptions.assumeTrue(durable());
    Mono<Long> crowd =
        Flux.range(0, 500)
            .flatMap(i -> kv.set(k(i), i).thenReturn(1).onErrorReturn(0), 500)
            .filter(done -> done == 0)
            .count();
    long refused = get(crowd.repeat().filter(count -> count > 0).next());
    assertThat(stats().commits().refused()).isGreaterThanOrEqualTo(refused);
  }

  @Test
  public void reportsKeysAndBytes() {
    long logBefore = stats().storage().logBytes();
    for (int i = 0; i < 30; i++) {
      set(k(i % 20), "x".repeat(100));
    }
    get(kv.delete(k(0)));
    get(kv.delete(KvKey.of("nothing")));
    KvStats inMemory = stats();
    assertThat(inMemory.storage().keys()).isEqualTo(19);
    assertThat(inMemory.storage().memoryBytes()).isGreaterThan(19 * 100);
    if (durable()) {
      assertThat(inMemory.storage().logBytes() - logBefore).isGreaterThan(30 * 100);
      assertThat(inMemory.storage().logSegments()).isPositive();
    } else {
      assertThat(inMemory.storage().logBytes()).isZero();
    }
  }

  @Test
  public void countsKeysOfImageAndMemoryTogether() {
    for (int i = 0; i < 50; i++) {
      set(k(i), i);
    }
    settle();
    for (int i = 25; i < 75; i++) {
      set(k(i), -i);
    }
    get(kv.delete(k(0)));
    long keys = get(kv.count(KvRange.all()));
    KvStats stats = until(s -> s.storage().keys() == keys);
    assertThat(stats.storage().imageBytes()).isPositive();
    reopen();
    if (durable()) {
      assertThat(stats().lastCommit()).isNotNull();
      assertThat(until(s -> s.storage().keys() == keys).version()).isEqualTo(stats.version());
    }
  }

  @Test
  public void estimatesManyKeysInMemoryByASample() {
    Flux<KvRecord> records = Flux.range(0, 20_000).map(i -> KvRecord.of(k(i), i));
    kv.load(records).blockLast(TIMEOUT);
    kv.load(records.filter(r -> r.key().hashCode() % 2 == 0)).blockLast(TIMEOUT);
    KvStats stats = until(s -> Math.abs(s.storage().keys() - 20_000) < 2_000);
    assertThat(stats.version()).isNotEqualTo(Versionstamp.ZERO);
  }

  @Test
  public void reportsSnapshots() {
    for (int i = 0; i < 3; i++) {
      set(k(i), i);
    }
    ListOptions options =
        ListOptions.DEFAULT.withConsistency(Consistency.SNAPSHOT).withBatchSize(1);
    StepVerifier.create(kv.list(KvRange.prefix("k"), options), 1)
        .expectNextCount(1)
        .then(
            () -> {
              set(A, 1);
              KvStats held = until(s -> s.readers().snapshots() == 1);
              assertThat(held.readers().oldestSnapshotLag()).isEqualTo(1);
              assertThat(until(s -> s.readers().oldestSnapshotAge().toMillis() > 5)).isNotNull();
            })
        .thenCancel()
        .verify(TIMEOUT);
    KvStats after = until(s -> s.readers().snapshots() == 0);
    assertThat(after.readers().oldestSnapshotAge()).isZero();
    assertThat(after.readers().oldestSnapshotLag()).isZero();
  }

  @Test
  public void reportsWatchesAndFeeds() {
    Disposable watch = kv.watch(A).subscribe();
    Disposable feed = kv.changes(KvRange.prefix("k")).subscribe();
    until(s -> s.readers().watches() == 1 && s.readers().feeds() == 1);
    watch.dispose();
    until(s -> s.readers().watches() == 0 && s.readers().feeds() == 1);
    feed.dispose();
    KvStats none = until(s -> s.readers().watches() == 0 && s.readers().feeds() == 0);
    assertThat(none.readers().waiting()).isNotNegative();
  }

  @Test
  public void reportsQueues() {
    get(kv.queues().enqueue("now", EnqueueOptions.to("jobs")));
    get(kv.queues().enqueue("now", EnqueueOptions.to("jobs")));
    get(kv.queues().enqueue("later", EnqueueOptions.to("jobs").withDelay(Duration.ofHours(1))));
    KvStats.Queue queue =
        until(s -> s.queues().get(0).oldestReady().toMillis() > 5).queues().get(0);
    assertThat(queue.name()).isEqualTo("jobs");
    assertThat(queue.depth()).isEqualTo(3);
    assertThat(queue.ready()).isEqualTo(2);
    assertThat(queue.delayed()).isEqualTo(1);
    assertThat(queue.leased()).isZero();
    assertThat(queue.consumers()).isZero();

    Disposable consumer =
        kv.queues().listen(String.class, QueueOptions.of("jobs").withMaxInFlight(1)).subscribe();
    queue = until(s -> s.queues().get(0).leased() == 1).queues().get(0);
    assertThat(queue.depth()).isEqualTo(3);
    assertThat(queue.ready()).isEqualTo(1);
    consumer.dispose();

    Disposable idle = kv.queues().listen(String.class, QueueOptions.of("idle")).subscribe();
    until(s -> s.queues().stream().anyMatch(q -> q.name().equals("idle") && q.consumers() == 1));
    idle.dispose();
  }

  @Test
  public void failsForAClosedStore() {
    get(kv.close().thenReturn(1));
    failure(kv.admin().stats(), KvErrorCode.CLOSED);
  }
}
