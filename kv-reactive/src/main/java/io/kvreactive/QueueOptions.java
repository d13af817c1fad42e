package io.kvreactive;

import io.kvreactive.internal.shared.ArgumentChecks;
import java.time.Duration;
import org.immutables.value.Value;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;

/**
 * Options of consuming a queue. Immutable; start from {@link #DEFAULT} or {@link #of}.
 *
 * @param queue the name of the queue; empty for the queue of Deno KV
 * @param lease the duration of a lease without a renewal, from 10 ms to a day; the subscription
 *     renews its leases after every third of it. Messages of a process that dies are delivered
 *     again when the store is opened again, those of a remote consumer after this time
 * @param maxInFlight the maximum number of messages that are delivered and not finished, at least 1
 * @param maxProcessing the maximum time for one message, at least 10 ms, after which its lease ends
 *     and it is delivered again. Null for no maximum: a message that is neither acked nor nacked
 *     then stays with its consumer until the subscription ends
 * @param stopWhen the signal that stops a subscription orderly, by an element, completion or an
 *     error: no more messages are claimed; emitted ones stay leased and can be acked and nacked;
 *     when the last of them is finished, the subscription completes. Each subscription subscribes
 *     to it. To close a store without delivering anything twice: emit the signal, wait until the
 *     subscriptions have completed, and close then. Null to consume until cancellation or close
 */
@Value.Builder
public record QueueOptions(
    String queue,
    Duration lease,
    int maxInFlight,
    @Nullable Duration maxProcessing,
    @Nullable Publisher<?> stopWhen)
    implements WithQueueOptions {
  private static final Duration MIN_TIME = Duration.ofMillis(10);
  private static final Duration MAX_LEASE = Duration.ofDays(1);

  /**
   * The default: the queue with the empty name, leases of 30 seconds, 256 messages in flight, no
   * maximum processing time.
   */
  public static final QueueOptions DEFAULT =
      new QueueOptions("", Duration.ofSeconds(30), 256, null, null);

  /**
   * Checks the options.
   *
   * @throws KvException INVALID_ARGUMENT for times below 10 ms, a lease of more than a day, and a
   *     {@code maxInFlight} below 1
   */
  public QueueOptions {
    ArgumentChecks.between("lease", lease, MIN_TIME, MAX_LEASE);
    if (maxProcessing != null) {
      ArgumentChecks.atLeast("maxProcessing", maxProcessing, MIN_TIME);
    }
    ArgumentChecks.atLeast("maxInFlight", maxInFlight, 1);
  }

  /** Returns the default options for the queue of this name. */
  public static QueueOptions of(String queue) {
    return DEFAULT.withQueue(queue);
  }
}
