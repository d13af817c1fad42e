package io.kvreactive.internal.reactive;

import io.vertx.core.Context;
import reactor.core.scheduler.Schedulers;

/**
 * The event loops of Vert.x as Reactor sees them: threads on which {@code block()} fails with an
 * IllegalStateException. Without that, {@code block()} on an event loop would wait for ever for
 * signals that the same thread is to emit.
 */
final class EventLoops {
  static {
    // a setting of Reactor, for the whole process; made once
    Schedulers.registerNonBlockingThreadPredicate(
        thread -> thread == Thread.currentThread() && Context.isOnEventLoopThread());
  }

  private EventLoops() {}

  /** Makes {@code block()} fail on event loops, in the whole process. Idempotent. */
  static void refuseBlocking() {
    // the work is done when the class is initialised
  }
}
