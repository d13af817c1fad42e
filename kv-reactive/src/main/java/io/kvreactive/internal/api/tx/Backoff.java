package io.kvreactive.internal.api.tx;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.TransactionOptions;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * Retries after a {@link RetryableConflict}, as often as the options allow. The bound of the pauses
 * doubles. With full jitter, transactions in conflict are spread over the whole pause.
 */
final class Backoff extends Retry {
  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

  private final TransactionOptions options;
  private final long min;
  private final long max;

  Backoff(TransactionOptions options) {
    this.options = options;
    this.min = nanos(options.minBackoff());
    this.max = nanos(options.maxBackoff());
  }

  private static long nanos(Duration pause) {
    return pause.compareTo(LONGEST) < 0 ? pause.toNanos() : Long.MAX_VALUE;
  }

  @Override
  public Publisher<?> generateCompanion(Flux<RetrySignal> failures) {
    return failures.concatMap(failed -> next(failed.failure(), failed.totalRetries()));
  }

  /** Emits when the next attempt should start, or fails. */
  private Mono<Long> next(Throwable failure, long retries) {
    if (!(failure instanceof RetryableConflict conflict)) {
      return Mono.error(failure);
    }
    return retries < options.maxAttempts() - 1L
        ? Mono.delay(Duration.ofNanos(pauseNanos(retries)))
        : Mono.error(exhausted(conflict.met()));
  }

  /** Returns a pause of more than 0 and at most the bound after that many retries. */
  long pauseNanos(long retries) {
    long bound = retries < Long.SIZE - 1 && min <= max >> retries ? min << retries : max;
    double share = 1 - options.jitter() * ThreadLocalRandom.current().nextDouble();
    return Math.max(1, (long) (bound * share));
  }

  private KvException exhausted(Throwable last) {
    String detail = last instanceof KvException e ? e.detail() : String.valueOf(last);
    return new KvException(
        KvErrorCode.CONFLICT,
        detail
            + ", in the last of "
            + options.maxAttempts()
            + " attempts (expected: fewer writers at a time)",
        last);
  }
}
