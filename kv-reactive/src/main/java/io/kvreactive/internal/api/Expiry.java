package io.kvreactive.internal.api;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.spi.ArgumentChecks;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Times of expiry as engines have them: milliseconds since 1970, 0 for never. */
public final class Expiry {
  private Expiry() {}

  /**
   * Returns a time from now on.
   *
   * @throws KvException INVALID_ARGUMENT when it is negative, or too far away to be told
   */
  public static long in(Duration expireIn, long now) {
    ArgumentChecks.atLeast("expireIn", expireIn, Duration.ZERO);
    try {
      // up to the next millisecond: never before the time
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
   * Returns a time.
   *
   * @throws KvException INVALID_ARGUMENT when it is too far away to be told
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

  /** Returns a duration in milliseconds, or as many as there are. */
  static long millis(Duration duration) {
    try {
      return duration.toMillis();
    } catch (ArithmeticException e) { // longer than can be told
      return Long.MAX_VALUE;
    }
  }

  /** Milliseconds since 1970 of what {@link #instant} gave. */
  public static long millis(@Nullable Instant expireAt) {
    return expireAt == null ? 0 : expireAt.toEpochMilli();
  }

  /** As users see it, or null for never. */
  public static @Nullable Instant instant(long expireAt) {
    return expireAt == 0 ? null : Instant.ofEpochMilli(expireAt);
  }
}
