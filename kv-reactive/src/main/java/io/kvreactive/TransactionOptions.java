package io.kvreactive;

import io.kvreactive.internal.shared.ArgumentChecks;
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
   * Checks the options.
   *
   * @throws KvException INVALID_ARGUMENT
   */
  public TransactionOptions {
    ArgumentChecks.atLeast("maxAttempts", maxAttempts, 1);
    ArgumentChecks.check(
        minBackoff.compareTo(Duration.ZERO) > 0, "minBackoff", minBackoff, "more than 0");
    ArgumentChecks.atLeast("maxBackoff", maxBackoff, minBackoff);
    ArgumentChecks.check(jitter >= 0 && jitter <= 1, "jitter", jitter, "0 to 1");
  }

  /** Returns these options with another minimum and maximum pause. */
  public TransactionOptions withBackoff(Duration min, Duration max) {
    return new TransactionOptions(maxAttempts, min, max, jitter);
  }
}
