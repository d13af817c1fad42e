package io.kvreactive.connect.internal;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/** The event loop that a client's connections and state live on. */
final class ClientEventLoop implements Executor {
  private static final Logger LOG = LoggerFactory.getLogger(ClientEventLoop.class);

  private final Vertx vertx;
  private final Context context;

  /** The loop of the context that is current. */
  ClientEventLoop(Vertx vertx, Context context) {
    this.vertx = vertx;
    this.context = context;
  }

  /**
   * Runs a task there: now, when this is there.
   *
   * @throws KvException CLOSED when the Vert.x is
   */
  @Override
  public void execute(Runnable task) {
    if (Vertx.currentContext() == context) {
      task.run();
      return;
    }
    try {
      context.runOnContext(ignored -> task.run());
    } catch (RejectedExecutionException e) {
      throw closed();
    }
  }

  /** Like {@link #execute}; when the Vert.x is closed there is nothing left to do. */
  void executeIfOpen(Runnable task) {
    try {
      execute(task);
    } catch (KvException e) {
      LOG.debug("dropped: the Vert.x is closed");
    }
  }

  /** Runs a task there later; {@link #cancel} takes it back. */
  long after(long millis, Runnable task) {
    return vertx.setTimer(Math.max(1, millis), ignored -> task.run());
  }

  void cancel(long timer) {
    vertx.cancelTimer(timer);
  }

  /** Completes there after a pause. */
  Mono<Void> pause(long millis) {
    return Mono.create(
        sink ->
            execute(
                () -> {
                  long timer = after(millis, sink::success);
                  sink.onDispose(() -> cancel(timer));
                }));
  }

  static KvException closed() {
    return new KvException(KvErrorCode.CLOSED, "the connection to the remote store is closed");
  }
}
