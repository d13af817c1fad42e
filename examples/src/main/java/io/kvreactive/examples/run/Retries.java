package io.kvreactive.examples.run;

import io.kvreactive.KvError;
import java.time.Duration;
import reactor.util.retry.Retry;
import reactor.util.retry.RetryBackoffSpec;

/** When to subscribe again. All are bounded; what fails to the end fails with its own error. */
public final class Retries {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(1);
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(100);

  private Retries() {}

  /** What the store says may succeed later, unchanged, such as OVERLOADED. */
  public static Retry whenRetryable() {
    return backoff(5).filter(KvError::isRetryable);
  }

  /** What was read had changed by the time of the commit: read again and decide anew. */
  public static Retry onConflict() {
    return backoff(20).filter(error -> error instanceof Conflict);
  }

  private static RetryBackoffSpec backoff(int attempts) {
    return Retry.backoff(attempts, FIRST_PAUSE)
        .maxBackoff(LONGEST_PAUSE)
        .onRetryExhaustedThrow((spec, signal) -> signal.failure());
  }
}
