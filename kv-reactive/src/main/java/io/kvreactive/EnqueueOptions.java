package io.kvreactive;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a message is delivered. Immutable; start from {@link #DEFAULT} or {@link #to}.
 *
 * @param queue name of the queue; empty for the one that Deno KV has
 * @param delay until the first delivery, from when the commit is subscribed to; at most {@link
 *     KvLimits#maxDelaySeconds}
 * @param deliverAt not before this time, instead of the delay, or null for the delay
 * @param backoff the wait before each redelivery; as many redeliveries as there are, see {@link
 *     KvLimits#maxBackoffSteps} and {@link KvLimits#maxBackoffMillis}
 * @param keysIfUndelivered take the message as their value, without expiry, when the last delivery
 *     has failed; else it is gone then
 */
public record EnqueueOptions(
    String queue,
    Duration delay,
    @Nullable Instant deliverAt,
    List<Duration> backoff,
    List<KvKey> keysIfUndelivered) {
  /**
   * The nameless queue, at once, and again after 100 ms, 1 s, 5 s, 30 s and a minute when it fails.
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
   * @throws KvException INVALID_ARGUMENT for a negative time
   */
  public EnqueueOptions {
    notNegative("delay", delay);
    backoff = List.copyOf(backoff);
    for (int i = 0; i < backoff.size(); i++) {
      notNegative("backoff[" + i + "]", backoff.get(i));
    }
    keysIfUndelivered = List.copyOf(keysIfUndelivered);
  }

  private static void notNegative(String what, Duration time) {
    if (time.isNegative()) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT, what + ": " + time + " (expected: not negative)");
    }
  }

  /** Returns the default for a queue of that name. */
  public static EnqueueOptions to(String queue) {
    return DEFAULT.withQueue(queue);
  }

  /** To the queue of this name. */
  public EnqueueOptions withQueue(String queue) {
    return new EnqueueOptions(queue, delay, deliverAt, backoff, keysIfUndelivered);
  }

  /** First delivered after so long. */
  public EnqueueOptions withDelay(Duration delay) {
    return new EnqueueOptions(queue, delay, null, backoff, keysIfUndelivered);
  }

  /** First delivered at this time; at once when it has passed. */
  public EnqueueOptions withDeliverAt(Instant deliverAt) {
    return new EnqueueOptions(queue, Duration.ZERO, deliverAt, backoff, keysIfUndelivered);
  }

  /** Delivered again after each of these waits; none: only once. */
  public EnqueueOptions withBackoff(List<Duration> backoff) {
    return new EnqueueOptions(queue, delay, deliverAt, backoff, keysIfUndelivered);
  }

  /** Like {@link #withBackoff(List)}. */
  public EnqueueOptions withBackoff(Duration... backoff) {
    return withBackoff(List.of(backoff));
  }

  /** Ends under these keys when it cannot be delivered. */
  public EnqueueOptions withKeysIfUndelivered(List<KvKey> keys) {
    return new EnqueueOptions(queue, delay, deliverAt, backoff, keys);
  }

  /** Like {@link #withKeysIfUndelivered(List)}. */
  public EnqueueOptions withKeysIfUndelivered(KvKey... keys) {
    return withKeysIfUndelivered(List.of(keys));
  }
}
