package io.kvreactive;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;

/**
 * How a queue is consumed. Immutable; start from {@link #DEFAULT} or {@link #of}.
 *
 * @param queue name of the queue; empty for the one that Deno KV has
 * @param lease how long a message belongs to its consumer without a sign of life; the subscription
 *     gives one every third of it, for as long as it lives. So messages of a process that dies are
 *     delivered again when the store is opened again, and those of a remote one after this time
 * @param maxInFlight most messages that are delivered and not finished
 * @param maxProcessing how long one message may take: then its lease ends though the subscription
 *     lives, and it is delivered again. Null for as long as it likes: a message that the consumer
 *     neither acks nor nacks is then kept for it as long as the subscription lives, and not
 *     delivered again before that ends
 * @param stopWhen stops a subscription in good order when it emits, completes or fails: no more
 *     messages are claimed; those that were emitted stay leased, and can be acked and nacked; when
 *     the last of them is finished, the subscription completes. Each subscription subscribes to it.
 *     Null to go on until cancel or close
 */
public record QueueOptions(
    String queue,
    Duration lease,
    int maxInFlight,
    @Nullable Duration maxProcessing,
    @Nullable Publisher<?> stopWhen) {
  private static final Duration LEAST = Duration.ofMillis(10);
  private static final Duration LONGEST_LEASE = Duration.ofDays(1);

  /** The nameless queue, leases of 30 seconds, 256 messages in flight, no limit of time. */
  public static final QueueOptions DEFAULT =
      new QueueOptions("", Duration.ofSeconds(30), 256, null, null);

  /**
   * @throws KvException INVALID_ARGUMENT for times below 10 ms, a lease of more than a day, and a
   *     {@code maxInFlight} below 1
   */
  public QueueOptions {
    atLeast("lease", lease);
    if (lease.compareTo(LONGEST_LEASE) > 0) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          "lease: " + lease + " (expected: at most " + LONGEST_LEASE + ")");
    }
    if (maxProcessing != null) {
      atLeast("maxProcessing", maxProcessing);
    }
    if (maxInFlight < 1) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT, "maxInFlight: " + maxInFlight + " (expected: >= 1)");
    }
  }

  private static void atLeast(String what, Duration time) {
    if (time.compareTo(LEAST) < 0) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT, what + ": " + time + " (expected: at least " + LEAST + ")");
    }
  }

  /** Returns the default for a queue of that name. */
  public static QueueOptions of(String queue) {
    return DEFAULT.withQueue(queue);
  }

  /** Returns the queue of this name. */
  public QueueOptions withQueue(String queue) {
    return new QueueOptions(queue, lease, maxInFlight, maxProcessing, stopWhen);
  }

  /** With leases of this length; from 10 ms to a day. */
  public QueueOptions withLease(Duration lease) {
    return new QueueOptions(queue, lease, maxInFlight, maxProcessing, stopWhen);
  }

  /** With so many unfinished messages at most; at least 1. */
  public QueueOptions withMaxInFlight(int maxInFlight) {
    return new QueueOptions(queue, lease, maxInFlight, maxProcessing, stopWhen);
  }

  /** With so much time for each message; at least 10 ms. */
  public QueueOptions withMaxProcessing(@Nullable Duration maxProcessing) {
    return new QueueOptions(queue, lease, maxInFlight, maxProcessing, stopWhen);
  }

  /**
   * Stopped in good order by a signal. To close a store without delivering anything twice: emit the
   * signal, wait until the subscriptions have completed, and close then.
   */
  public QueueOptions withStopWhen(@Nullable Publisher<?> stopWhen) {
    return new QueueOptions(queue, lease, maxInFlight, maxProcessing, stopWhen);
  }
}
