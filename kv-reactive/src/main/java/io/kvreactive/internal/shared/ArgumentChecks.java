package io.kvreactive.internal.shared;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.time.Duration;

/**
 * Checks of arguments, with one wording for each rule: {@code maxChecks: 0 (expected: at least 1)}.
 * A violated rule is a KvException INVALID_ARGUMENT, an exceeded limit one with LIMIT_EXCEEDED.
 */
public final class ArgumentChecks {
  private ArgumentChecks() {}

  /** Checks a lower bound. */
  public static void atLeast(String name, long value, long min) {
    check(value >= min, name, value, "at least " + min);
  }

  /** Checks a lower bound; a minimum of zero means not negative. */
  public static void atLeast(String name, Duration value, Duration min) {
    check(value.compareTo(min) >= 0, name, value, "at least " + text(min));
  }

  /** Checks a lower and an upper bound, both inclusive. */
  public static void between(String name, long value, long min, long max) {
    check(value >= min && value <= max, name, value, min + " to " + max);
  }

  /** Checks a lower and an upper bound, both inclusive. */
  public static void between(String name, Duration value, Duration min, Duration max) {
    check(
        value.compareTo(min) >= 0 && value.compareTo(max) <= 0,
        name,
        value,
        text(min) + " to " + text(max));
  }

  /**
   * Checks a configured limit, such as one of {@link io.kvreactive.KvLimits}.
   *
   * @throws KvException LIMIT_EXCEEDED
   */
  public static void withinLimit(String name, long value, long limit) {
    if (value > limit) {
      throw new KvException(
          KvErrorCode.LIMIT_EXCEEDED, name + ": " + value + " (expected: at most " + limit + ")");
    }
  }

  /**
   * Checks a rule of its own.
   *
   * @param expected the rule, as said after "expected:"
   */
  public static void check(boolean holds, String name, Object value, String expected) {
    if (!holds) {
      throw invalid(name, value, expected);
    }
  }

  /**
   * Returns the exception for a value that violates a rule.
   *
   * @param expected the rule, as said after "expected:"
   */
  public static KvException invalid(String name, Object value, String expected) {
    return new KvException(
        KvErrorCode.INVALID_ARGUMENT, name + ": " + value + " (expected: " + expected + ")");
  }

  /** Returns a duration in the largest unit that gives a whole number, such as "10 ms". */
  private static String text(Duration duration) {
    if (duration.isZero()) {
      return "0";
    }
    if (duration.toNanosPart() % 1_000_000 != 0) {
      return duration.toNanos() + " ns";
    }
    if (duration.toNanosPart() != 0) {
      return duration.toMillis() + " ms";
    }
    long seconds = duration.toSeconds();
    if (seconds % 86_400 == 0) {
      return seconds == 86_400 ? "1 day" : seconds / 86_400 + " days";
    }
    return seconds + " s";
  }
}
