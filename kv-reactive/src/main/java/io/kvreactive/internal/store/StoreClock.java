package io.kvreactive.internal.store;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The time that a store goes by: the wall clock, but never backwards, also not across a restart, so
 * that what has expired stays so. When the wall clock is set back, time goes on from where it was,
 * at the pace of the monotonic clock, until the wall clock has caught up; for less than {@value
 * #STEP_MILLIS} ms it just waits. Any thread.
 */
final class StoreClock implements LongSupplier {
  private static final long STEP_MILLIS = 1000;
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final LongSupplier wall;
  private final LongSupplier nanos;
  private final AtomicLong last;
  private volatile Anchor anchor;

  /** What the monotonic clock showed at a time. */
  private record Anchor(long millis, long nanos) {}

  /**
   * @param least the time at least, such as the last one in the log
   * @param wall milliseconds since 1970
   * @param nanos a clock that does not go backwards
   */
  StoreClock(long least, LongSupplier wall, LongSupplier nanos) {
    this.wall = wall;
    this.nanos = nanos;
    this.last = new AtomicLong(least);
    this.anchor = new Anchor(least, nanos.getAsLong());
  }

  /** Milliseconds since 1970, at least as many as the last time. */
  @Override
  public long getAsLong() {
    long wallMillis = wall.getAsLong();
    long nanosNow = nanos.getAsLong();
    Anchor from = anchor;
    long goingOn = from.millis + (nanosNow - from.nanos) / NANOS_PER_MILLI;
    boolean setBack = goingOn - wallMillis >= STEP_MILLIS;
    if (wallMillis > from.millis && !setBack) {
      anchor = new Anchor(wallMillis, nanosNow);
    }
    long now = setBack ? goingOn : wallMillis;
    long newest = last.get();
    return now <= newest ? newest : last.accumulateAndGet(now, Math::max);
  }
}
