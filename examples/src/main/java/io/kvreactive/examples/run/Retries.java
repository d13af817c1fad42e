package io.kvreactive.examples.run;

import io.kvreactive.KvError;
import java.time.Duration;
import reactor.util.retry.Retry;
import reactor.util.retry.RetryBackoffSpec;

/** Retry rules. All are bounded; if the last attempt fails, its own error is emitted. */
public final class Retries {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(1);
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(100);

  private Retries() {}

  /** Returns the rule for errors that the store marks as retryable, such as OVERLOADED. */
  public static Retry whenRetryable() {
    return backoff(5).filter(KvError::isRetryable);
  }

  /** Returns the rule for conflicts: the work reads again and decides again. */
  public static Retry onConflict() {
    return backoff(20).filter(error -> error instanceof Conflict);
  }

  private static RetryBackoffSpec backoff(int attempts) {
    return Retry.backoff(attempts, FIRST_PAUSE)
        .maxBackoff(LONGEST_PAUSE)
        .onRetryExhaustedThrow((spec, signal) -> signal.failure());
  }
}
