package io.kvreactive.spi;

import org.jspecify.annotations.Nullable;

/** How a delivery ends. */
public sealed interface Finish {
  /** The message was dealt with, and is removed. */
  record Ack() implements Finish {}

  /**
   * The delivery has failed: the message is delivered again, or takes its place under its keys when
   * this was the last time.
   *
   * @param afterMillis how long to wait, or null for what the message says
   */
  record Retry(@Nullable Long afterMillis) implements Finish {}

  /** Nothing was done: the message is ready again at once, and this delivery does not count. */
  record Release() implements Finish {}
}
