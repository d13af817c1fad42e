package io.kvreactive.internal.shared;

import io.kvreactive.KvStats;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The time of a store: the wall clock, checked against the monotonic clock, so that a wrong wall
 * clock does not cause false expiries (docs/adr/0010). Thread-safe.
 *
 * <ul>
 *   <li>Time never goes back. While the wall clock is behind by a second or more, time advances at
 *       nine tenths of the monotonic clock's rate.
 *   <li>Time follows the wall clock forward at once if the jump is at most {@link #MAX_JUMP}. The
 *       elapsed monotonic time and the time of suspension do not count.
 *   <li>A larger jump is followed after the wall clock has confirmed it for {@link #CONFIRMATION}.
 *       Until then, time advances by the monotonic clock.
 *   <li>A jump of more than {@link #MAX_CONFIRMED} is not followed before the next start of the
 *       clock, unless the time before the jump is known to be wrong: earlier than {@link
 *       #EARLIEST_PLAUSIBLE}, or kept from before while the wall clock has been behind since the
 *       start.
 * </ul>
 */
public final class SteadyClock implements InstantSource {
  /** Difference to the wall clock below which time simply follows or waits for the wall clock. */
  static final Duration STEP = Duration.ofSeconds(1);

  /** Maximum jump forward that is followed at once. */
  public static final Duration MAX_JUMP = Duration.ofHours(1);

  /** Time for which a larger jump must persist before it is followed. */
  public static final Duration CONFIRMATION = Duration.ofMinutes(10);

  /** Maximum jump forward that is followed once confirmed. */
  public static final Duration MAX_CONFIRMED = Duration.ofDays(365);

  /** The earliest time that is accepted as correct: this software did not exist before. */
  public static final Instant EARLIEST_PLAUSIBLE = Instant.parse("2025-01-01T00:00:00Z");

  private static final Logger LOG = LoggerFactory.getLogger(SteadyClock.class);
  private static final long STEP_MILLIS = STEP.toMillis();
  private static final long MAX_JUMP_MILLIS = MAX_JUMP.toMillis();
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final long ANCHOR_NANOS = 100 * NANOS_PER_MILLI;
  private static final long LOG_PAUSE_NANOS = Duration.ofMinutes(1).toNanos();
  private static final long SAME_JUMP_MILLIS = Duration.ofMinutes(1).toMillis();

  private final String owner;
  private final ClockSources sources;
  private final long least;
  private final AtomicLong last;
  private volatile Course course;
  private volatile @Nullable Long confirmedAtNanos; // confirmation time of a far jump at the start
  private long loggedAtNanos; // guarded by this
  private boolean logged; // guarded by this

  /**
   * The course of time since a moment, by the monotonic clock alone.
   *
   * @param millis the time at that moment
   * @param nanos the reading of the monotonic clock at that moment
   * @param suspended the time for which the machine had been suspended by then, as far as known
   * @param isAhead true while time is ahead of the wall clock and advances more slowly
   * @param hasFollowed false until the wall clock is first followed
   * @param jump the jump that waits for confirmation, or null
   */
  private record Course(
      long millis,
      long nanos,
      long suspended,
      boolean isAhead,
      boolean hasFollowed,
      @Nullable Jump jump) {
    /** Returns the time at a reading of the monotonic clock. */
    long at(long nanosNow) {
      return millis + elapsed(nanosNow) - withheldAt(nanosNow);
    }

    /** Returns the milliseconds by which time has advanced less than the monotonic clock. */
    long withheldAt(long nanosNow) {
      return isAhead ? elapsed(nanosNow) / 10 : 0;
    }

    private long elapsed(long nanosNow) {
      return Math.max(0, nanosNow - nanos) / NANOS_PER_MILLI;
    }
  }

  /**
   * A jump of the wall clock.
   *
   * @param millis the distance of the wall clock from the course of time
   * @param nanos the reading of the monotonic clock when the jump was noticed
   */
  private record Jump(long millis, long nanos) {}

  /**
   * Creates a clock.
   *
   * @param owner the name of the store, for log messages
   * @param leastMillis the time that is known to have been reached, such as the time of the last
   *     commit; 0 if unknown
   */
  public SteadyClock(String owner, long leastMillis, ClockSources sources) {
    this.owner = owner;
    this.sources = sources;
    this.least = leastMillis;
    long wall = sources.wallMillis().getAsLong();
    long nanos = sources.nanos().getAsLong();
    boolean isBehind = leastMillis - wall >= STEP_MILLIS;
    this.last = new AtomicLong(leastMillis);
    this.course =
        new Course(
            Math.max(leastMillis, wall),
            nanos,
            sources.suspendedMillis().getAsLong(),
            isBehind,
            !isBehind,
            null);
    if (isBehind && leastMillis - wall > MAX_JUMP_MILLIS) {
      warn(
          nanos,
          "{}: the last commit is of {}, which is {} ahead of the wall clock, {}. Time continues from"
              + " there. If the wall clock is right, run kv repair --set-clock",
          leastMillis,
          leastMillis - wall,
          wall);
    }
    noticeFarStart(wall, nanos);
  }

  /** Creates a clock from the clocks of this machine. */
  public static SteadyClock system(String owner) {
    return new SteadyClock(owner, 0, ClockSources.system());
  }

  private void noticeFarStart(long wall, long nanos) {
    boolean isFar =
        least >= EARLIEST_PLAUSIBLE.toEpochMilli() && wall - least > MAX_CONFIRMED.toMillis();
    if (isFar) {
      confirmedAtNanos = nanos + CONFIRMATION.toNanos();
      warn(
          nanos,
          "{}: the last commit is of {}, which is {} behind the wall clock, {}. If the wall clock is"
              + " wrong, stop now: entries that have expired by it are deleted in ten minutes",
          least,
          wall - least,
          wall);
    }
  }

  /** Returns the time in milliseconds since 1970, never less than an earlier call returned. */
  @Override
  public long millis() {
    long nanos = sources.nanos().getAsLong();
    long wall = sources.wallMillis().getAsLong();
    Course from = course;
    long ahead = wall - from.at(nanos);
    long now;
    if (ahead > -STEP_MILLIS && ahead < STEP_MILLIS && from.jump == null && !from.isAhead) {
      if (wall > from.millis && nanos - from.nanos >= ANCHOR_NANOS) {
        course = new Course(wall, nanos, from.suspended, false, true, null);
      }
      now = wall;
    } else {
      now = correct(wall, nanos);
    }
    long newest = last.get();
    return now <= newest ? newest : last.accumulateAndGet(now, Math::max);
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis());
  }

  private synchronized long correct(long wall, long nanos) {
    Course from = course;
    long expected = from.at(nanos);
    long suspended = from.suspended;
    if (wall - expected >= STEP_MILLIS && isNewJump(from, wall - expected)) {
      suspended = Math.max(suspended, sources.suspendedMillis().getAsLong());
      expected += from.suspended == Long.MIN_VALUE ? 0 : suspended - from.suspended;
    }
    long ahead = wall - expected;
    if (ahead <= -STEP_MILLIS) {
      if (!from.isAhead || suspended != from.suspended) {
        course = new Course(expected, nanos, suspended, true, from.hasFollowed, null);
        warn(
            nanos,
            "{}: time is {}, which is {} ahead of the wall clock, {}. Time advances more slowly"
                + " until the wall clock has caught up",
            expected,
            -ahead,
            wall);
      }
      return expected;
    }
    boolean isJump = ahead - from.withheldAt(nanos) > MAX_JUMP_MILLIS;
    if (isJump && !isFollowed(from, ahead, nanos)) {
      if (isNewJump(from, ahead) || suspended != from.suspended) {
        Jump jump = new Jump(ahead, nanos);
        course = new Course(expected, nanos, suspended, false, from.hasFollowed, jump);
        warn(
            nanos,
            "{}: the wall clock jumped from {} by {} to {}. "
                + (ahead > MAX_CONFIRMED.toMillis()
                    ? "It is not followed before the next start"
                    : "It is followed if it stays there for ten minutes"),
            expected,
            ahead,
            wall);
      }
      return expected;
    }
    if (!from.hasFollowed) {
      noticeFarStart(wall, nanos);
    }
    if (isJump) {
      warn(nanos, "{}: time was {} and follows the wall clock by {} to {}", expected, ahead, wall);
    } else if (from.jump != null) {
      LOG.info("{}: the wall clock is back at {}", owner, Instant.ofEpochMilli(wall));
    }
    course = new Course(Math.max(wall, last.get()), nanos, suspended, false, true, null);
    return wall;
  }

  private static boolean isNewJump(Course from, long ahead) {
    return from.jump == null || Math.abs(ahead - from.jump.millis) > SAME_JUMP_MILLIS;
  }

  private static boolean isFollowed(Course from, long ahead, long nanos) {
    if (from.millis < EARLIEST_PLAUSIBLE.toEpochMilli() || !from.hasFollowed) {
      return true;
    }
    Jump jump = from.jump;
    return jump != null
        && !isNewJump(from, ahead)
        && nanos - jump.nanos >= CONFIRMATION.toNanos()
        && ahead <= MAX_CONFIRMED.toMillis();
  }

  /** Logs a warning, at most one a minute. */
  private synchronized void warn(
      long nanos, String format, long millis, long difference, long wallMillis) {
    if (logged && nanos - loggedAtNanos < LOG_PAUSE_NANOS) {
      return;
    }
    logged = true;
    loggedAtNanos = nanos;
    LOG.warn(
        format,
        owner,
        Instant.ofEpochMilli(millis),
        Duration.ofMillis(difference),
        Instant.ofEpochMilli(wallMillis));
  }

  /**
   * Returns the time that was known to have been reached when this clock was created; 0 if unknown.
   */
  public long least() {
    return least;
  }

  /**
   * Returns the time up to which expired entries may be deleted for good. This is {@link #millis},
   * except for a clock that started more than {@link #MAX_CONFIRMED} after the time that was known
   * to have been reached: until {@link #CONFIRMATION} has passed, the result is that known time.
   */
  public long confirmedMillis() {
    long now = millis();
    Long at = confirmedAtNanos;
    return at == null || sources.nanos().getAsLong() - at >= 0 ? now : least;
  }

  /** Returns the state of this clock. */
  public KvStats.Clock state() {
    long now = millis();
    long wall = sources.wallMillis().getAsLong();
    Course current = course;
    KvStats.ClockState state;
    if (current.jump != null) {
      state = KvStats.ClockState.JUMP_HELD;
    } else if (current.isAhead) {
      state = KvStats.ClockState.AHEAD;
    } else if (confirmedMillis() < now) {
      state = KvStats.ClockState.UNCONFIRMED;
    } else {
      state = KvStats.ClockState.IN_STEP;
    }
    return new KvStats.Clock(Instant.ofEpochMilli(now), Duration.ofMillis(now - wall), state);
  }
}
