package io.kvreactive.web.internal.stream;

import io.vertx.core.buffer.Buffer;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Limits the rate of a client's messages to that of its token. Messages above the rate wait, and
 * reading pauses until then.
 */
final class InboundThrottle {
  private final EventLoopSockets sockets;
  private final OutboundQueue out;
  private final Caller caller;
  private final Consumer<Buffer> heard;
  private final ArrayDeque<Buffer> early = new ArrayDeque<>(0);
  private boolean stopped;

  /**
   * @param heard the consumer of messages, in their order
   */
  InboundThrottle(
      EventLoopSockets sockets, OutboundQueue out, Caller caller, Consumer<Buffer> heard) {
    this.sockets = sockets;
    this.out = out;
    this.caller = caller;
    this.heard = heard;
  }

  /** Accepts a message of the client. */
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

  /** Returns true if messages are waiting. */
  boolean pauses() {
    return !early.isEmpty();
  }

  /** Passes on the messages that the rate allows. Returns false if messages are still waiting. */
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
