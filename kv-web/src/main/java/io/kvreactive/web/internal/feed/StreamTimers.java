package io.kvreactive.web.internal.feed;

import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.auth.GrantExpiration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What ends or interrupts a stream from outside. Runs on the context that it is set up on. */
public final class StreamTimers {
  private final ServerContext serverContext;
  private final List<Runnable> undo = new ArrayList<>();
  private boolean closed;

  public StreamTimers(ServerContext serverContext) {
    this.serverContext = serverContext;
  }

  /** Runs when the server stops, on whichever thread. */
  public void onDrain(Runnable stop) {
    add(serverContext.lifecycle().register(stop));
  }

  /** Runs when a token ends, or is taken back. */
  public void onExpiry(Grant grant, Runnable expired) {
    add(GrantExpiration.watch(serverContext.vertx(), grant, expired));
  }

  /** Runs once. */
  public void after(long millis, Runnable work) {
    long timer = serverContext.vertx().setTimer(Math.max(1, millis), ignored -> work.run());
    add(() -> serverContext.vertx().cancelTimer(timer));
  }

  /** Runs again and again. */
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

  /** Nothing runs any more. Idempotent. */
  public void close() {
    closed = true;
    undo.forEach(Runnable::run);
    undo.clear();
  }
}
