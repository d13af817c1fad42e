package io.kvreactive.web.internal.stream;

import io.kvreactive.web.StreamOptions;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.http.Lifecycle;
import io.kvreactive.web.internal.http.WorkerOffload;
import io.kvreactive.web.internal.ops.ServerMeters;
import io.vertx.core.Context;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;

/**
 * The connections of one event loop. They share a timer, a registration in the server's lifecycle
 * and an output buffer, so that an idle connection costs little. All methods but {@link #run} must
 * be called on the event loop.
 */
final class EventLoopSockets {
  private static final long TICK_MILLIS = 500;

  private final Context context;
  private final ServerContext serverContext;
  private final FrameWriter frames = new FrameWriter();
  private final Set<StreamSocket> open = new HashSet<>();
  private Runnable unregister = () -> {};
  private long timer = -1;

  EventLoopSockets(Context context, ServerContext serverContext) {
    this.context = context;
    this.serverContext = serverContext;
  }

  StreamOptions options() {
    return serverContext.options().stream();
  }

  Lifecycle lifecycle() {
    return serverContext.lifecycle();
  }

  /** Returns the workers that parse large messages. */
  WorkerOffload offload() {
    return serverContext.bodyLimits().offload();
  }

  ServerMeters meters() {
    return serverContext.meters();
  }

  FrameWriter frames() {
    return frames;
  }

  void add(StreamSocket socket) {
    open.add(socket);
    if (open.size() == 1) {
      timer = serverContext.vertx().setPeriodic(TICK_MILLIS, tick -> tick());
      unregister = lifecycle().register(() -> run(this::drain));
    }
    if (lifecycle().draining()) {
      socket.drain();
    }
  }

  void remove(StreamSocket socket) {
    if (open.remove(socket) && open.isEmpty()) {
      serverContext.vertx().cancelTimer(timer);
      unregister.run();
    }
  }

  private void tick() {
    long nanos = System.nanoTime();
    for (StreamSocket socket : List.copyOf(open)) {
      socket.tick(nanos);
    }
  }

  private void drain() {
    List.copyOf(open).forEach(StreamSocket::drain);
  }

  /** Runs a task on this event loop after a delay of at least 1 ms. */
  void after(long millis, Runnable task) {
    serverContext.vertx().setTimer(Math.max(1, millis), fired -> run(task));
  }

  /**
   * Runs a task on this event loop. May be called on any thread. Does nothing after Vert.x was
   * closed.
   */
  void run(Runnable task) {
    try {
      context.runOnContext(ignored -> task.run());
    } catch (RejectedExecutionException e) {
      // Vert.x is closed and has closed the connections
    }
  }
}
