package io.kvreactive.web.internal.feed;

import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.auth.GrantExpiration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The timers and events that end or interrupt a stream. Timers and expiry run on the Vert.x context
 * of the caller. Not thread-safe.
 */
public final class StreamTimers {
  private final ServerContext serverContext;
  private final List<Runnable> undo = new ArrayList<>();
  private boolean closed;

  public StreamTimers(ServerContext serverContext) {
    this.serverContext = serverContext;
  }

  /** Runs a task when the server stops, on the thread that stops the server. */
  public void onDrain(Runnable stop) {
    add(serverContext.lifecycle().register(stop));
  }

  /** Runs a task when a token expires or is revoked. */
  public void onExpiry(Grant grant, Runnable expired) {
    add(GrantExpiration.watch(serverContext.vertx(), grant, expired));
  }

  /** Runs a task once, after a delay of at least 1 ms. */
  public void after(long millis, Runnable work) {
    long timer = serverContext.vertx().setTimer(Math.max(1, millis), ignored -> work.run());
    add(() -> serverContext.vertx().cancelTimer(timer));
  }

  /** Runs a task periodically, at an interval of at least 1 ms. */
  public void each(Duration interval, Runnable work) {
    long timer =
        serverContext.vertx().setPeriodic(Math.max(1, interval.toMillis()), ignored -> work.run());
    add(() -> serverContext.vertx().cancelTimer(timer));
  }

  private void add(Runnable undoing) {
    if (closed) {
      undoing.run();
    } else {
      undo.add(undoing);
    }
  }

  /** Cancels all tasks, also those that are added later. Idempotent. */
  public void close() {
    closed = true;
    undo.forEach(Runnable::run);
    undo.clear();
  }
}
