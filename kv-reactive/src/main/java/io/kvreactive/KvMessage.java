package io.kvreactive;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A message of a queue, leased to this consumer: no other consumer receives it while the lease
 * lasts. It must be finished by {@link #ack} or {@link #nack}. An unfinished message is redelivered
 * when the subscription ends, or after {@link QueueOptions#maxProcessing}, which is unlimited by
 * default.
 *
 * @param <T> type of the value
 */
public interface KvMessage<T> {
  /** Returns the enqueued value. */
  @Nullable T value();

  /**
   * Returns the enqueued value, which is not null.
   *
   * @throws KvException UNREADABLE_VALUE if it is null
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
   * Returns the id of the message, the same in each delivery: 24 hex digits that ascend in the
   * order of the commits.
   */
  String id();

  /** Returns the name of the queue. */
  String queue();

  /** Returns the number of this delivery; the first is 1. */
  int attempt();

  /** Returns true if the message is not redelivered after this attempt. */
  boolean lastAttempt();

  /** Returns the time at which the message was enqueued, by the store's clock. */
  Instant enqueuedAt();

  /**
   * Acknowledges the message: removes it durably, then completes. Idempotent. Cancellation does not
   * undo it. Error: LEASE_LOST if the lease has ended, because the message was nacked, the
   * subscription was cancelled or closed, or the processing took longer than {@link
   * QueueOptions#maxProcessing}. The message is then redelivered, or already was, or its attempts
   * are used up.
   */
  Mono<Void> ack();

  /**
   * Rejects the delivery: the message is redelivered after the next wait of its backoff. After the
   * last attempt it is written to its keys for undelivered messages, which can be watched. Errors
   * as for {@link #ack}.
   */
  Mono<Void> nack();

  /**
   * Rejects the delivery, with a wait before the redelivery that replaces the one of the backoff.
   * The attempt counts. Errors: also INVALID_ARGUMENT for a negative duration, and LIMIT_EXCEEDED
   * for one beyond {@link KvLimits#maxDelaySeconds}.
   */
  Mono<Void> nack(Duration retryIn);
}
