package io.kvreactive;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A message of a queue, delivered to this consumer and, while its lease lasts, to nobody else. It
 * is to be finished by {@link #ack} or {@link #nack}: what is not comes again when the subscription
 * ends, or when {@link QueueOptions#maxProcessing} is over. By default that is without limit, so a
 * subscription that lives keeps what it does not finish.
 *
 * @param <T> type of the value
 */
public interface KvMessage<T> {
  /** What was enqueued. */
  @Nullable T value();

  /**
   * What was enqueued, which is not null.
   *
   * @throws KvException UNREADABLE_VALUE when it is null
   */
  default T required() {
    T value = value();
    if (value == null) {
      throw new KvException(
          KvErrorCode.UNREADABLE_VALUE, "message " + id() + ": null (expected: a value)");
    }
    return value;
  }

  /**
   * Tells the message from all others, and is the same in each delivery: 24 hex digits that ascend
   * in the order of the commits.
   */
  String id();

  /** Name of the queue. */
  String queue();

  /** Returns the number of this delivery; the first is 1. */
  int attempt();

  /** Returns true if the message is not delivered again when this time fails. */
  boolean lastAttempt();

  /** When it was enqueued, by the store's clock. */
  Instant enqueuedAt();

  /**
   * Says that the message was dealt with: it is removed, durably before this completes. Completes
   * also when it is done again. Cancel does not undo it. Error: LEASE_LOST when the message is not
   * this consumer's any more, because it was nacked, the subscription was cancelled or closed, or
   * it took longer than {@link QueueOptions#maxProcessing}: then it is delivered again, or was, or
   * its attempts are used up.
   */
  Mono<Void> ack();

  /**
   * Says that the delivery has failed: the message is delivered again after the next wait of its
   * backoff; or, when this was the last attempt, its keys take it, and whoever watches them sees
   * that. Errors as for {@link #ack}.
   */
  Mono<Void> nack();

  /**
   * Like {@link #nack()}, after another wait than its backoff has. The attempt counts all the same.
   * Errors: also INVALID_ARGUMENT for a negative duration, and LIMIT_EXCEEDED for one beyond {@link
   * KvLimits#maxDelaySeconds}.
   */
  Mono<Void> nack(Duration retryIn);
}
