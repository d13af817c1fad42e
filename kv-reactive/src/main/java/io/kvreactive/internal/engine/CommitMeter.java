package io.kvreactive.internal.engine;

import io.kvreactive.CommitResult;
import io.kvreactive.KvStats;
import io.kvreactive.LatencySummary;
import io.kvreactive.internal.store.Latencies;
import io.kvreactive.internal.store.Rate;
import java.util.concurrent.atomic.LongAdder;

/** The statistics of commits. Confined to the store thread, except {@link #refused}. */
final class CommitMeter {
  private final Latencies latencies = new Latencies(System.nanoTime());
  private final Rate rate = new Rate(System.nanoTime());
  private final LongAdder refused = new LongAdder();
  private long commits;
  private long conflicts;
  private long batches;

  /** Counts a commit that failed with OVERLOADED. Thread-safe. */
  void refused() {
    refused.increment();
  }

  /** Counts a published batch. */
  void published(int commits, long now) {
    if (commits > 0) {
      this.commits += commits;
      batches++;
      rate.add(commits, now);
    }
  }

  /** Counts a commit that is about to be answered. */
  void answered(Object result, long nanos, long now) {
    latencies.record(nanos, now);
    if (result instanceof CommitResult answer && !answer.committed()) {
      conflicts++;
    }
  }

  KvStats.Commits stats(int waiting, long waitingBytes, LatencySummary sync) {
    long now = System.nanoTime();
    return new KvStats.Commits(
        commits,
        conflicts,
        refused.sum(),
        batches,
        rate.perSecond(now),
        waiting,
        waitingBytes,
        latencies.summary(now),
        sync);
  }
}
