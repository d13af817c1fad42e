package io.kvreactive;

import java.time.Duration;
import org.immutables.value.Value;

/**
 * Options of the attempts of a transaction and the exponential backoff between them: after each
 * conflict the pause at most doubles, up to the maximum, minus a random part that separates the
 * competitors. Immutable; start from {@link #DEFAULT}.
 *
 * @param maxAttempts the maximum number of attempts, at least 1
 * @param minBackoff the maximum of the first pause, more than zero
 * @param maxBackoff the maximum pause, at least {@code minBackoff}
 * @param jitter the random fraction of a pause: from 0, none of it, to 1, all of it
 */
@Value.Builder
public record TransactionOptions(
    int maxAttempts, Duration minBackoff, Duration maxBackoff, double jitter)
    implements WithTransactionOptions {
  /** The default: twenty attempts, pauses from up to 1 ms to up to 250 ms, full jitter. */
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

  /** Returns these options with another minimum and maximum pause. */
  public TransactionOptions withBackoff(Duration min, Duration max) {
    return new TransactionOptions(maxAttempts, min, max, jitter);
  }
}
