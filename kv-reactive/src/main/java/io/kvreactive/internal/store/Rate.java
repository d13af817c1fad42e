package io.kvreactive.internal.store;

import java.util.concurrent.TimeUnit;

/**
 * How often something happened over the last ten seconds, the one under way included. Not
 * thread-safe.
 */
public final class Rate {
  private static final int SECONDS = 10;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final long start;
  private final long[] counts = new long[SECONDS];
  private long second;

  /**
   * @param now by {@link System#nanoTime}
   */
  public Rate(long now) {
    start = now;
  }

  /** It has happened so many times. */
  public void add(long times, long now) {
    advance(now);
    counts[(int) (second % SECONDS)] += times;
  }

  private void advance(long now) {
    long to = (now - start) / SECOND;
    for (long next = Math.max(second, to - SECONDS) + 1; next <= to; next++) {
      counts[(int) (next % SECONDS)] = 0;
    }
    second = Math.max(second, to);
  }

  /** Times a second. */
  public double perSecond(long now) {
    advance(now);
    long sum = 0;
    for (long count : counts) {
      sum += count;
    }
    double elapsed = (double) (now - start) / SECOND;
    double seen = Math.min(elapsed, SECONDS - 1 + (elapsed - second));
    return sum / Math.max(1, seen);
  }
}
