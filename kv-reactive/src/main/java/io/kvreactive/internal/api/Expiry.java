package io.kvreactive.internal.api;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.internal.shared.ArgumentChecks;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Converts times of expiry to and from the form of engines: milliseconds since 1970, 0 for none.
 */
public final class Expiry {
  private Expiry() {}

  /**
   * Returns the time after a duration from now.
   *
   * @throws KvException INVALID_ARGUMENT if the duration is negative, or the time out of range
   */
  public static long in(Duration expireIn, long now) {
    ArgumentChecks.atLeast("expireIn", expireIn, Duration.ZERO);
    try {
      // rounded up: never before the time
      long millis = Math.addExact(expireIn.plusNanos(999_999).toMillis(), now);
      return Math.max(1, millis);
    } catch (ArithmeticException e) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          "expireIn: " + expireIn + " (expected: fewer than 2^63 milliseconds from 1970 on)",
          e);
    }
  }

  /**
   * Returns a time in milliseconds, rounded up.
   *
   * @throws KvException INVALID_ARGUMENT if the time is out of range
   */
  public static long at(Instant expireAt) {
    if (expireAt.isBefore(Instant.EPOCH)) {
      return 1;
    }
    try {
      return Math.max(1, expireAt.plusNanos(999_999).toEpochMilli());
    } catch (ArithmeticException | DateTimeException e) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          "expireAt: " + expireAt + " (expected: fewer than 2^63 milliseconds from 1970 on)",
          e);
    }
  }

  /** Returns a duration in milliseconds, at most Long.MAX_VALUE. */
  static long millis(Duration duration) {
    try {
      return duration.toMillis();
    } catch (ArithmeticException e) { // more than 2^63 milliseconds
      return Long.MAX_VALUE;
    }
  }

  /** Returns the milliseconds since 1970 of a result of {@link #instant}. */
  public static long millis(@Nullable Instant expireAt) {
    return expireAt == null ? 0 : expireAt.toEpochMilli();
  }

  /** Returns the time as an instant, or null for none. */
  public static @Nullable Instant instant(long expireAt) {
    return expireAt == 0 ? null : Instant.ofEpochMilli(expireAt);
  }
}
