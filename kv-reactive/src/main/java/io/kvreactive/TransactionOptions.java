package io.kvreactive;

import java.time.Duration;

/**
 * How often a transaction is tried, and how long it pauses in between: after each conflict at most
 * twice as long as before, up to the longest pause, and at random less than that, so that those who
 * met once do not meet again. Immutable; start from {@link #DEFAULT}.
 *
 * @param maxAttempts attempts in all, at least 1
 * @param minBackoff most of the first pause, more than zero
 * @param maxBackoff the longest pause, at least {@code minBackoff}
 * @param jitter what part of a pause is left to chance: from 0, none of it, to 1, from nothing to
 *     all of it
 */
public record TransactionOptions(
    int maxAttempts, Duration minBackoff, Duration maxBackoff, double jitter) {
  /** Twenty attempts, pauses of up to 1 ms at first and 250 ms in the end, all left to chance. */
  public static final TransactionOptions DEFAULT =
      new TransactionOptions(20, Duration.ofMillis(1), Duration.ofMillis(250), 1);

  /**
   * @throws KvException INVALID_ARGUMENT
   */
  public TransactionOptions {
    require(maxAttempts >= 1, "maxAttempts: " + maxAttempts + " (expected: at least 1)");
    require(
        minBackoff.compareTo(Duration.ZERO) > 0,
        "minBackoff: " + minBackoff + " (expected: more than zero)");
    require(
        maxBackoff.compareTo(minBackoff) >= 0,
        "maxBackoff: " + maxBackoff + " (expected: at least " + minBackoff + ")");
    require(jitter >= 0 && jitter <= 1, "jitter: " + jitter + " (expected: 0 to 1)");
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new KvException(KvErrorCode.INVALID_ARGUMENT, otherwise);
    }
  }

  /** So many attempts in all; at least 1. */
  public TransactionOptions withMaxAttempts(int maxAttempts) {
    return new TransactionOptions(maxAttempts, minBackoff, maxBackoff, jitter);
  }

  /** Pauses from this to that. */
  public TransactionOptions withBackoff(Duration min, Duration max) {
    return new TransactionOptions(maxAttempts, min, max, jitter);
  }

  /** So much of a pause left to chance; 0 to 1. */
  public TransactionOptions withJitter(double jitter) {
    return new TransactionOptions(maxAttempts, minBackoff, maxBackoff, jitter);
  }
}
