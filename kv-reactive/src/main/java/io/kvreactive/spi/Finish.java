package io.kvreactive.spi;

import org.jspecify.annotations.Nullable;

/** The way in which a delivery ends. */
public sealed interface Finish {
  /** The message was processed, and is removed. */
  record Ack() implements Finish {}

  /**
   * The delivery has failed: the message is delivered again, or is written to its keys for
   * undelivered messages if this was the last attempt.
   *
   * @param afterMillis the time until the redelivery in milliseconds, or null for the backoff of
   *     the message
   */
  record Retry(@Nullable Long afterMillis) implements Finish {}

  /** The message was not processed: it is ready again at once, and this delivery does not count. */
  record Release() implements Finish {}
}
