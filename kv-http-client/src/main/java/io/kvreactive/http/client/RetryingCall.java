package io.kvreactive.http.client;

import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.http.client.AttemptFailure.Kind;
import io.kvreactive.http.client.HttpCall.Safety;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The attempts of one call, with repetition where it is safe and useful: after random pauses whose
 * maximum doubles, until the time of the call has elapsed. {@link Safety} has the three kinds of
 * calls. The attempts of a call must not overlap.
 */
public final class RetryingCall {
  /**
   * The pauses between attempts.
   *
   * @param firstMillis the maximum pause before the second attempt; doubles with each attempt
   * @param longestMillis the upper limit of the maximum pause
   */
  public record Backoff(long firstMillis, long longestMillis) {
    public static final Backoff DEFAULT = new Backoff(50, 2000);

    /**
     * Returns a random pause, so that clients do not all repeat their requests at once.
     *
     * @param failed the number of failed attempts before
     */
    public long pauseMillis(int failed) {
      long bound = Math.min(longestMillis, firstMillis << Math.min(failed, 16));
      return ThreadLocalRandom.current().nextLong(bound / 2, bound + 1);
    }

    /** Returns a random pause, or that which the server requests if it is longer. */
    public long pauseMillis(int failed, AttemptFailure failure) {
      return Math.max(pauseMillis(failed), failure.pauseMillis());
    }
  }

  private final HttpTransport transport;
  private final Safety safety;
  private final Backoff backoff;
  private final long budgetMillis;
  private final long began = System.nanoTime();
  private int failed;
  private boolean refreshed;
  private @Nullable AttemptFailure unknown;

  /**
   * Begins a call.
   *
   * @param budgetMillis the maximum time until the last attempt begins
   */
  public RetryingCall(HttpTransport transport, Safety safety, Backoff backoff, long budgetMillis) {
    this.transport = transport;
    this.safety = safety;
    this.backoff = backoff;
    this.budgetMillis = budgetMillis;
  }

  public long leftMillis() {
    return budgetMillis - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
  }

  /**
   * Subscribes to attempts until one succeeds. Fails with the exception for the caller.
   *
   * @param attempt the source of attempts, which fail with an {@link AttemptFailure}
   */
  public <T> Mono<T> run(Supplier<Mono<T>> attempt) {
    return Mono.defer(attempt)
        .onErrorResume(
            AttemptFailure.class, failure -> next(failure).then(Mono.defer(() -> run(attempt))));
  }

  /** Completes when the next attempt is due, or fails with the exception for the caller. */
  public Mono<Void> next(AttemptFailure failure) {
    if (failure.kind() == Kind.UNKNOWN) {
      unknown = failure;
    }
    boolean again =
        switch (failure.kind()) {
          case NOT_DONE -> true;
          case UNKNOWN -> safety != Safety.ONCE;
          case STALE -> !refreshed;
          case TOO_LARGE, FINAL -> false;
        };
    long pause = 0;
    if (failure.kind() == Kind.STALE) {
      refreshed = true;
    } else {
      pause = backoff.pauseMillis(failed++, failure);
    }
    if (!again || transport.isClosed() || pause >= leftMillis()) {
      return Mono.error(shown(failure));
    }
    return pause == 0 ? Mono.empty() : transport.pause(pause);
  }

  /** Records that a server has accepted the token, which may become stale again. */
  public void accepted() {
    refreshed = false;
  }

  /**
   * Returns the exception for the caller. CLOSED means that nothing was done. A refusal after an
   * attempt that may have taken effect does not deny the effect.
   */
  public RuntimeException shown(AttemptFailure last) {
    AttemptFailure maybe = unknown;
    boolean isRead = safety == Safety.REPEATABLE;
    if (isRead || maybe == null) {
      return transport.isClosed() && (isRead || last.kind() == Kind.NOT_DONE)
          ? HttpTransport.closed()
          : last.shown();
    }
    RuntimeException shown = maybe.shown();
    return KvError.is(shown, KvErrorCode.UNAVAILABLE) || KvError.is(shown, KvErrorCode.IO_FAILED)
        ? shown
        : new KvException(
            KvErrorCode.UNAVAILABLE, "the outcome is unknown: " + shown.getMessage(), last.shown());
  }
}
