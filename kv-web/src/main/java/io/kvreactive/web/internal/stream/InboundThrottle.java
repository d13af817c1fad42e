package io.kvreactive.web.internal.stream;

import io.vertx.core.buffer.Buffer;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Limits the rate of a client's messages to that of its token. Messages above the rate wait, and no
 * more are read from the connection until then.
 */
final class InboundThrottle {
  private final EventLoopSockets sockets;
  private final OutboundQueue out;
  private final Caller caller;
  private final Consumer<Buffer> consumer;
  private final ArrayDeque<Buffer> pending = new ArrayDeque<>(0);
  private boolean held;
  private boolean stopped;

  /**
   * Creates a throttle.
   *
   * @param consumer the consumer of the messages, in their order
   */
  InboundThrottle(
      EventLoopSockets sockets, OutboundQueue out, Caller caller, Consumer<Buffer> consumer) {
    this.sockets = sockets;
    this.out = out;
    this.caller = caller;
    this.consumer = consumer;
  }

  /** Accepts a message, which is passed on now or when the rate allows it. */
  void said(Buffer message) {
    pending.add(message);
    if (pending.size() == 1 && !passOn()) {
      caller
          .refused()
          .apply("rate.limited")
          .with("reason", "too many messages of token " + caller.grant().name())
          .log();
    }
  }

  /** Returns true if messages are waiting and reading is paused. */
  boolean pauses() {
    return held || !pending.isEmpty();
  }

  /** Holds later messages back until {@link #release}; called by the consumer of a message. */
  void hold() {
    held = true;
  }

  void release() {
    held = false;
    var unused = passOn();
  }

  /** Passes on as many messages as the rate allows. Returns false if messages are still waiting. */
  private boolean passOn() {
    while (!stopped && !held && !pending.isEmpty()) {
      long pause = caller.rate().getAsLong();
      if (pause > 0) {
        out.listen(false);
        sockets.after(TimeUnit.NANOSECONDS.toMillis(pause) + 1, this::passOn);
        return false;
      }
      consumer.accept(pending.remove());
    }
    out.listen(!held);
    return true;
  }

  void stop() {
    stopped = true;
    pending.clear();
  }
}
