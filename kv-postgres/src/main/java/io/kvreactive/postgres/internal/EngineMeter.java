package io.kvreactive.postgres.internal;

import io.kvreactive.KvStats;
import io.kvreactive.LatencySummary;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/** Counts and times commits. Thread-safe. */
final class EngineMeter {
  private static final long MAX_NANOS = TimeUnit.MINUTES.toNanos(10);
  private static final long WINDOW_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final int SECONDS = 10;

  private final Latencies latency = new Latencies();
  private final Latencies sync = new Latencies();
  private final AtomicLong refused = new AtomicLong();
  private final long[] perSecond = new long[SECONDS + 1];
  private final long start = System.nanoTime();
  private long second;
  private long commits;
  private long conflicts;
  private long batches;

  /** Durations of the last one to two minutes. Guarded by the meter. */
  private static final class Latencies {
    private Histogram current = new Histogram(MAX_NANOS, 2);
    private Histogram previous = new Histogram(MAX_NANOS, 2);
    private long since = System.nanoTime();

    void add(long nanos, long now) {
      rotate(now);
      current.recordValue(Math.min(MAX_NANOS, Math.max(0, nanos)));
    }

    private void rotate(long now) {
      if (now - since >= WINDOW_NANOS) {
        Histogram oldest = previous;
        previous = current;
        current = oldest;
        current.reset();
        if (now - since >= 2 * WINDOW_NANOS) {
          previous.reset();
        }
        since = now;
      }
    }

    LatencySummary summary(long now) {
      rotate(now);
      Histogram both = current.copy();
      both.add(previous);
      return both.getTotalCount() == 0
          ? LatencySummary.NONE
          : new LatencySummary(
              both.getTotalCount(),
              percentile(both, 50),
              percentile(both, 90),
              percentile(both, 99),
              percentile(both, 99.9),
              Duration.ofNanos(both.getMaxValue()),
              Duration.ofNanos((long) both.getMean()));
    }

    private static Duration percentile(Histogram all, double percentile) {
      return Duration.ofNanos(Math.min(all.getMaxValue(), all.getValueAtPercentile(percentile)));
    }
  }

  void refused() {
    refused.incrementAndGet();
  }

  /** A commit was answered. */
  synchronized void answered(boolean conflict, long nanos) {
    long now = System.nanoTime();
    latency.add(nanos, now);
    conflicts += conflict ? 1 : 0;
  }

  /** A group was committed. */
  synchronized void committed(long count, long syncNanos) {
    long now = System.nanoTime();
    commits += count;
    batches++;
    advance(now);
    perSecond[(int) (second % perSecond.length)] += count;
    sync.add(syncNanos, now);
  }

  private void advance(long now) {
    long to = TimeUnit.NANOSECONDS.toSeconds(now - start);
    for (long next = Math.max(second, to - perSecond.length) + 1; next <= to; next++) {
      perSecond[(int) (next % perSecond.length)] = 0;
    }
    second = Math.max(second, to);
  }

  synchronized KvStats.Commits stats(int waiting, long waitingBytes) {
    long now = System.nanoTime();
    advance(now);
    long sum = 0;
    for (long count : perSecond) {
      sum += count;
    }
    return new KvStats.Commits(
        commits,
        conflicts,
        refused.get(),
        batches,
        (double) sum / SECONDS,
        waiting,
        waitingBytes,
        latency.summary(now),
        sync.summary(now));
  }
}
