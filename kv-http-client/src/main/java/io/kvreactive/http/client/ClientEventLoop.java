package io.kvreactive.http.client;

import io.kvreactive.KvException;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/** The event loop of a client's connections and state. */
public final class ClientEventLoop implements Executor {
  private static final Logger LOG = LoggerFactory.getLogger(ClientEventLoop.class);

  private final Context context;

  /** Creates the event loop of a context. */
  public ClientEventLoop(Context context) {
    this.context = context;
  }

  /**
   * Runs a task on the event loop, immediately if this is its thread.
   *
   * @throws KvException CLOSED if the Vert.x is closed
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
      throw HttpTransport.closed();
    }
  }

  /** Runs a task as {@link #execute} does; ignores it if the Vert.x is closed. */
  public void executeIfOpen(Runnable task) {
    try {
      execute(task);
    } catch (KvException e) {
      LOG.debug("dropped: the Vert.x is closed");
    }
  }

  /** Completes on the event loop. */
  public Mono<Void> enter() {
    return Mono.create(sink -> execute(sink::success));
  }
}
