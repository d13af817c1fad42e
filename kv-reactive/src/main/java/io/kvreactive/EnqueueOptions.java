package io.kvreactive;

import io.kvreactive.internal.shared.ArgumentChecks;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.immutables.value.Value;
import org.jspecify.annotations.Nullable;

/**
 * Options of the delivery of a message. Immutable; start from {@link #DEFAULT} or {@link #to}.
 *
 * @param queue the name of the queue; empty for the queue of Deno KV
 * @param delay the time from the subscription to the commit until the first delivery; at most
 *     {@link KvLimits#maxDelaySeconds}
 * @param deliverAt the earliest time of the first delivery, which is immediate if the time has
 *     passed; null to use the delay
 * @param backoff the wait before each redelivery; its size is the maximum number of redeliveries,
 *     see {@link KvLimits#maxBackoffSteps} and {@link KvLimits#maxBackoffMillis}; if empty, the
 *     message is delivered once
 * @param keysIfUndelivered the keys that are set to the message, without expiry, when the last
 *     delivery has failed; if empty, the message is dropped
 */
@Value.Builder
public record EnqueueOptions(
    String queue,
    Duration delay,
    @Nullable Instant deliverAt,
    List<Duration> backoff,
    List<KvKey> keysIfUndelivered)
    implements WithEnqueueOptions {
  /**
   * The default: the queue with the empty name, no delay, and redeliveries after 100 ms, 1 s, 5 s,
   * 30 s and a minute.
   */
  public static final EnqueueOptions DEFAULT =
      new EnqueueOptions(
          "",
          Duration.ZERO,
          null,
          List.of(
              Duration.ofMillis(100),
              Duration.ofSeconds(1),
              Duration.ofSeconds(5),
              Duration.ofSeconds(30),
              Duration.ofMinutes(1)),
          List.of());

  /**
   * Checks the options.
   *
   * @throws KvException INVALID_ARGUMENT for a negative time
   */
  public EnqueueOptions {
    ArgumentChecks.atLeast("delay", delay, Duration.ZERO);
    backoff = List.copyOf(backoff);
    for (int i = 0; i < backoff.size(); i++) {
      ArgumentChecks.atLeast("backoff[" + i + "]", backoff.get(i), Duration.ZERO);
    }
    keysIfUndelivered = List.copyOf(keysIfUndelivered);
  }

  /** Returns the default options for the queue of this name. */
  public static EnqueueOptions to(String queue) {
    return DEFAULT.withQueue(queue);
  }

  /** Returns these options with a delay before the first delivery, instead of a time. */
  @Override
  public EnqueueOptions withDelay(Duration delay) {
    return new EnqueueOptions(queue, delay, null, backoff, keysIfUndelivered);
  }

  /** Returns these options with the time of the first delivery, instead of a delay. */
  @Override
  public EnqueueOptions withDeliverAt(@Nullable Instant deliverAt) {
    return new EnqueueOptions(queue, Duration.ZERO, deliverAt, backoff, keysIfUndelivered);
  }
}
