package io.kvreactive.internal.shared;

import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.streams.ReadStream;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;

/** A Flux as a stream of Vert.x. See {@link io.kvreactive.VertxBridge#readStream}. */
public final class FluxReadStream<T> implements ReadStream<T> {
  private static final int MAX_STEPS = 256; // of one task of the context

  private final Flux<T> source;
  private final Context context;
  private final Source upstream = new Source();
  private final AtomicInteger wakes = new AtomicInteger();

  // guarded by this
  private @Nullable Handler<T> handler;
  private @Nullable Handler<Void> endHandler;
  private @Nullable Handler<Throwable> exceptionHandler;
  private long demand = Long.MAX_VALUE;
  private boolean subscribed;
  private boolean requested; // an element that has not arrived yet
  private @Nullable T arrived;
  private boolean sourceEnded; // after the element that arrived
  private @Nullable Throwable failure;
  private boolean done;

  /** Creates a stream whose handlers run on a context. */
  public FluxReadStream(Flux<T> source, Context context) {
    this.source = source;
    this.context = context;
  }

  private final class Source extends BaseSubscriber<T> {
    @Override
    protected void hookOnSubscribe(Subscription subscription) {
      wake(); // elements are requested one by one
    }

    @Override
    protected void hookOnNext(T element) {
      synchronized (FluxReadStream.this) {
        requested = false;
        arrived = element;
      }
      wake();
    }

    @Override
    protected void hookOnComplete() {
      end(null);
    }

    @Override
    protected void hookOnError(Throwable error) {
      end(error);
    }

    private void end(@Nullable Throwable error) {
      synchronized (FluxReadStream.this) {
        sourceEnded = true;
        failure = error;
      }
      wake();
    }
  }

  @Override
  public ReadStream<T> handler(@Nullable Handler<T> newHandler) {
    boolean first;
    synchronized (this) {
      handler = newHandler;
      if (newHandler == null) {
        done = true;
      }
      first = newHandler != null && !subscribed;
      subscribed |= first;
    }
    if (newHandler == null) {
      upstream.dispose();
    } else if (first) {
      source.subscribe(upstream);
    }
    return this;
  }

  @Override
  public synchronized ReadStream<T> endHandler(@Nullable Handler<Void> newHandler) {
    endHandler = newHandler;
    return this;
  }

  @Override
  public synchronized ReadStream<T> exceptionHandler(@Nullable Handler<Throwable> newHandler) {
    exceptionHandler = newHandler;
    return this;
  }

  @Override
  public synchronized ReadStream<T> pause() {
    demand = 0;
    return this;
  }

  @Override
  public ReadStream<T> resume() {
    return fetch(Long.MAX_VALUE);
  }

  @Override
  public ReadStream<T> fetch(long amount) {
    if (amount < 0) {
      throw new IllegalArgumentException("amount: " + amount + " (expected: at least 0)");
    }
    synchronized (this) {
      demand = demand + amount < 0 ? Long.MAX_VALUE : demand + amount;
    }
    wake();
    return this;
  }

  private void wake() {
    if (wakes.getAndIncrement() == 0) {
      context.runOnContext(ignored -> work());
    }
  }

  private void work() {
    int seen = wakes.get();
    int steps = 0;
    while (seen != 0) {
      if (steps++ == MAX_STEPS) {
        context.runOnContext(ignored -> work()); // after what else waits
        return;
      }
      if (!step()) {
        seen = wakes.addAndGet(-seen);
      }
    }
  }

  /** Delivers or requests one element, or ends the stream. Returns false if it can do neither. */
  private boolean step() {
    Handler<T> receiver;
    T element;
    boolean last = false;
    synchronized (this) {
      receiver = handler;
      element = arrived;
      if (done || receiver == null) {
        return false;
      }
      if (element != null) {
        if (demand == 0) {
          return false;
        }
        arrived = null;
        demand -= demand == Long.MAX_VALUE ? 0 : 1;
      } else if (sourceEnded) {
        done = true;
        last = true;
      } else if (demand == 0 || requested) {
        return false;
      } else {
        requested = true;
      }
    }
    if (element != null) {
      deliver(element, receiver);
    } else if (last) {
      end();
    } else {
      upstream.request(1);
    }
    return true;
  }

  private void deliver(T element, Handler<T> receiver) {
    boolean accepted = false;
    try {
      receiver.handle(element);
      accepted = true;
    } finally {
      if (!accepted) { // the exception goes to the context, and nothing more is delivered
        handler(null);
        wakes.set(0);
      }
    }
  }

  private void end() {
    Throwable error;
    Handler<Throwable> onError;
    Handler<Void> onEnd;
    synchronized (this) {
      error = failure;
      onError = exceptionHandler;
      onEnd = endHandler;
    }
    if (error != null && onError != null) {
      onError.handle(error);
    } else if (error == null && onEnd != null) {
      onEnd.handle(null);
    }
  }
}
