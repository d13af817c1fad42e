package io.kvreactive.web.internal.http;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * The state of a server, the number of pending requests, and the streams that must be stopped with
 * the server. Thread-safe.
 */
public final class Lifecycle {
  /** The states of a server, in order. */
  public enum State {
    /** Listens, but its stores are not open yet. */
    STARTING,
    /** Accepts requests. */
    READY,
    /** Accepts requests. Readiness probes report that the server is about to stop. */
    LEAVING,
    /** Finishes pending requests and accepts no new ones. */
    DRAINING
  }

  private final Set<Runnable> endless = ConcurrentHashMap.newKeySet();
  private final Set<MonoSink<Void>> waiting = ConcurrentHashMap.newKeySet();
  private final AtomicInteger underWay = new AtomicInteger();
  private volatile State state;

  /** Creates the lifecycle of routes that accept requests from the start. */
  public Lifecycle() {
    this(State.READY);
  }

  public Lifecycle(State state) {
    this.state = state;
  }

  public State state() {
    return state;
  }

  /** Returns true if the server is stopping. */
  public boolean draining() {
    return state == State.DRAINING;
  }

  /** Records that the stores are open. */
  public synchronized void ready() {
    if (state == State.STARTING) {
      state = State.READY;
    }
  }

  /** Records that the server is about to stop. */
  public synchronized void leave() {
    if (state != State.DRAINING) {
      state = State.LEAVING;
    }
  }

  /**
   * Registers a stream to be stopped with the server. The callback runs on the thread that stops
   * the server, or immediately if the server is stopping already.
   *
   * @param stop the callback, which must switch to the stream's context and may run twice
   * @return the deregistration, to be run if the stream ends first
   */
  public Runnable register(Runnable stop) {
    endless.add(stop);
    if (draining() && endless.remove(stop)) {
      stop.run();
    }
    return () -> endless.remove(stop);
  }

  /** Changes the state to DRAINING and runs the callbacks of all streams. */
  public void drain() {
    synchronized (this) {
      state = State.DRAINING;
    }
    for (Runnable stop : List.copyOf(endless)) {
      if (endless.remove(stop)) {
        stop.run();
      }
    }
  }

  /** Records the start of a request. */
  public void entered() {
    underWay.incrementAndGet();
  }

  /** Records the end of a request: it was answered, or its caller has disconnected. */
  public void left() {
    if (underWay.decrementAndGet() == 0) {
      settle();
    }
  }

  /** Returns the number of pending requests. */
  public int underWay() {
    return underWay.get();
  }

  /** Completes when no request is pending, on the thread that ends the last request. */
  public Mono<Void> idle() {
    return Mono.create(
        sink -> {
          waiting.add(sink);
          sink.onDispose(() -> waiting.remove(sink));
          if (underWay.get() == 0) {
            settle();
          }
        });
  }

  private void settle() {
    for (MonoSink<Void> sink : List.copyOf(waiting)) {
      if (waiting.remove(sink)) {
        sink.success();
      }
    }
  }
}
