package io.kvreactive.web.internal.http;

import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Runs work on large bodies on worker threads instead of event loops. At most as many tasks as
 * processors run at a time, because a parsed body takes many times its bytes; other tasks wait.
 * Thread-safe.
 */
public final class WorkerOffload {
  /** Maximum size in bytes of a body that is processed on the event loop. */
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

  /**
   * Runs work on a worker thread. The future completes on the Vert.x context that is current at
   * this call.
   */
  public <T> Future<T> run(Callable<T> work) {
    Context here = vertx.getOrCreateContext();
    Promise<T> done = Promise.promise();
    begin(() -> here.executeBlocking(work, false).onComplete(result -> end(result, done)));
    return done.future();
  }

  /**
   * Parses the body of a request, on a worker thread if it is large, and passes on its result on
   * the event loop, unless the caller has disconnected: no event would end an operation that starts
   * afterwards. Errors fail the request.
   */
  public <T> void parse(RoutingContext context, Supplier<T> parser, Consumer<T> then) {
    if (BodyReader.length(context) <= MAX_ON_EVENT_LOOP) {
      then.accept(parser.get());
      return;
    }
    Consumer<T> guarded = guarded(context, then);
    run(parser::get)
        .onComplete(
            parsed -> {
              if (!context.response().closed()) {
                guarded.accept(parsed);
              }
            },
            context::fail);
  }

  /** Returns a consumer that fails the request with the exceptions of {@code then}. */
  public static <T> Consumer<T> guarded(RoutingContext context, Consumer<T> then) {
    return value -> {
      try {
        then.accept(value);
      } catch (RuntimeException e) {
        context.fail(e);
      }
    };
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
