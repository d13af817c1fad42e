package io.kvreactive.web.internal.http;

import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;

/**
 * Reads large bodies beside the event loops. What they become takes many times their bytes, so no
 * more are read at a time than event loops would; others wait their turn. Safe on any thread.
 */
public final class WorkerOffload {
  /** A larger body is read here. */
  public static final int MAX_ON_EVENT_LOOP = 256 << 10;

  private final Vertx vertx;
  private final int most;
  private final Deque<Runnable> waiting = new ArrayDeque<>();
  private int running;

  public WorkerOffload(Vertx vertx) {
    this(vertx, Runtime.getRuntime().availableProcessors());
  }

  WorkerOffload(Vertx vertx, int most) {
    this.vertx = vertx;
    this.most = most;
  }

  /** Does some work on a worker thread; completes on the context that this is called on. */
  public <T> Future<T> run(Callable<T> work) {
    Context here = vertx.getOrCreateContext();
    Promise<T> done = Promise.promise();
    begin(() -> here.executeBlocking(work, false).onComplete(result -> end(result, done)));
    return done.future();
  }

  private void begin(Runnable task) {
    synchronized (waiting) {
      if (running == most) {
        waiting.add(task);
        return;
      }
      running++;
    }
    task.run();
  }

  private <T> void end(AsyncResult<T> result, Promise<T> done) {
    Runnable next;
    synchronized (waiting) {
      next = waiting.poll();
      running -= next == null ? 1 : 0;
    }
    if (next != null) {
      next.run();
    }
    done.handle(result);
  }
}
