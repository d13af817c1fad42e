package io.kvreactive.web.internal.stream;

import io.vertx.core.buffer.Buffer;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Listens to a client as often as its token may say something. What comes too early waits, and
 * nothing more is read until then.
 */
final class InboundThrottle {
  private final EventLoopSockets sockets;
  private final OutboundQueue out;
  private final Caller caller;
  private final Consumer<Buffer> heard;
  private final ArrayDeque<Buffer> early = new ArrayDeque<>(0);
  private boolean stopped;

  /**
   * @param heard takes messages, in the order in which they were said
   */
  InboundThrottle(
      EventLoopSockets sockets, OutboundQueue out, Caller caller, Consumer<Buffer> heard) {
    this.sockets = sockets;
    this.out = out;
    this.caller = caller;
    this.heard = heard;
  }

  /** The client has said something. */
  void said(Buffer message) {
    early.add(message);
    if (early.size() == 1 && !hear()) {
      caller
          .refused()
          .apply("rate.limited")
          .with("reason", "too many messages of token " + caller.grant().name())
          .log();
    }
  }

  /** Whether the client has to wait. */
  boolean pauses() {
    return !early.isEmpty();
  }

  /** Hears what may be heard; false when something has to wait. */
  private boolean hear() {
    while (!stopped && !early.isEmpty()) {
      long pause = caller.rate().getAsLong();
      if (pause > 0) {
        out.listen(false);
        sockets.after(TimeUnit.NANOSECONDS.toMillis(pause) + 1, this::hear);
        return false;
      }
      heard.accept(early.remove());
    }
    out.listen(true);
    return true;
  }

  void stop() {
    stopped = true;
    early.clear();
  }
}
