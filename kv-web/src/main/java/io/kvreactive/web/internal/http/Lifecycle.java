package io.kvreactive.web.internal.http;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * Whether the server takes requests, how many it is answering, and what goes on without end and
 * must be told to stop. Safe on any thread.
 */
public final class Lifecycle {
  /** What a server goes through. */
  public enum State {
    /** It listens, but its stores are not open yet. */
    STARTING,
    /** It takes requests. */
    READY,
    /** It still takes requests, and says that it soon will not. */
    LEAVING,
    /** It finishes what it has begun, and takes nothing new. */
    DRAINING
  }

  private final Set<Runnable> endless = ConcurrentHashMap.newKeySet();
  private final Set<MonoSink<Void>> waiting = ConcurrentHashMap.newKeySet();
  private final AtomicInteger underWay = new AtomicInteger();
  private volatile State state;

  /** Of routes that take requests from the start. */
  public Lifecycle() {
    this(State.READY);
  }

  public Lifecycle(State state) {
    this.state = state;
  }

  public State state() {
    return state;
  }

  /** Whether the server is being stopped. */
  public boolean draining() {
    return state == State.DRAINING;
  }

  /** The stores are open. */
  public synchronized void ready() {
    if (state == State.STARTING) {
      state = State.READY;
    }
  }

  /** Says that the server is about to be stopped. */
  public synchronized void leave() {
    if (state != State.DRAINING) {
      state = State.LEAVING;
    }
  }

  /**
   * Has a stream told when the server stops: on the thread that stops it, and at once when it is
   * being stopped already.
   *
   * @param stop moves to the stream's context by itself; runs once or twice
   * @return to be run when the stream ends by itself
   */
  public Runnable register(Runnable stop) {
    endless.add(stop);
    if (draining() && endless.remove(stop)) {
      stop.run();
    }
    return () -> endless.remove(stop);
  }

  /** Tells all streams to stop. */
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

  /** A request is being answered. */
  public void entered() {
    underWay.incrementAndGet();
  }

  /** A request has been answered, or its caller has gone. */
  public void left() {
    if (underWay.decrementAndGet() == 0) {
      settle();
    }
  }

  /** How many requests are being answered. */
  public int underWay() {
    return underWay.get();
  }

  /** Completes when no request is being answered, on the thread of the last one. */
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
