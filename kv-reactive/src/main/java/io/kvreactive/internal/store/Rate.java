package io.kvreactive.internal.store;

import java.util.concurrent.TimeUnit;

/** The rate of events over the last ten seconds, including the current one. Not thread-safe. */
public final class Rate {
  private static final int SECONDS = 10;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final long start;
  private final long[] counts = new long[SECONDS];
  private long second;

  /**
   * Creates a meter without events.
   *
   * @param now the time by {@link System#nanoTime}
   */
  public Rate(long now) {
    start = now;
  }

  /** Records a number of events. */
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

  /** Returns the events per second. */
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
