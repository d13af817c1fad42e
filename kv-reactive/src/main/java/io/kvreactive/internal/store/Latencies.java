package io.kvreactive.internal.store;

import io.kvreactive.LatencySummary;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Durations of the last one to two minutes: two histograms, of which the older is discarded when
 * the newer is a minute old. Not thread-safe.
 */
public final class Latencies {
  private static final long WINDOW_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final int DIGITS = 2;

  private Histogram current = new Histogram(DIGITS);
  private Histogram previous = new Histogram(DIGITS);
  private long since;

  /**
   * Creates an empty meter.
   *
   * @param now the time by {@link System#nanoTime}
   */
  public Latencies(long now) {
    since = now;
  }

  /** Records a duration that ended now. */
  public void record(long nanos, long now) {
    rotate(now);
    current.recordValue(Math.max(0, nanos));
  }

  private void rotate(long now) {
    long age = now - since;
    if (age < WINDOW_NANOS) {
      return;
    }
    Histogram oldest = previous;
    previous = current;
    current = oldest;
    current.reset();
    if (age >= 2 * WINDOW_NANOS) {
      previous.reset();
    }
    since = now;
  }

  /** Returns the summary of both histograms. */
  public LatencySummary summary(long now) {
    rotate(now);
    Histogram both = current.copy();
    both.add(previous);
    if (both.getTotalCount() == 0) {
      return LatencySummary.NONE;
    }
    return new LatencySummary(
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
