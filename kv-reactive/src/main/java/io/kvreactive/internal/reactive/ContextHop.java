package io.kvreactive.internal.reactive;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxOperator;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoOperator;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Hands each signal to an executor that runs tasks in order. Unlike {@code publishOn} it requests
 * nothing on its own account, so a slow subscriber of a state watch never finds an old state
 * waiting.
 */
final class ContextHop {
  private ContextHop() {}

  static final class OfMono<T> extends MonoOperator<T, T> {
    private final SubscriberContext subscriberContext;

    OfMono(Mono<T> source, SubscriberContext subscriberContext) {
      super(source);
      this.subscriberContext = subscriberContext;
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
      source.subscribe(new MonoSubscriber<>(actual, subscriberContext.forSubscriber()));
    }
  }

  static final class OfFlux<T> extends FluxOperator<T, T> {
    private final SubscriberContext subscriberContext;

    OfFlux(Flux<T> source, SubscriberContext subscriberContext) {
      super(source);
      this.subscriberContext = subscriberContext;
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
      source.subscribe(new FluxSubscriber<>(actual, subscriberContext.forSubscriber()));
    }
  }

  private abstract static class Hop<T> implements CoreSubscriber<T>, Subscription {
    final CoreSubscriber<? super T> actual;
    final Executor executor;
    volatile boolean cancelled;
    private @Nullable Subscription upstream;

    Hop(CoreSubscriber<? super T> actual, Executor executor) {
      this.actual = actual;
      this.executor = executor;
    }

    @Override
    public Context currentContext() {
      return actual.currentContext();
    }

    @Override
    public void onSubscribe(Subscription s) {
      upstream = s;
      actual.onSubscribe(this);
    }

    @Override
    public void request(long n) {
      upstream().request(n);
    }

    @Override
    public void cancel() {
      cancelled = true;
      upstream().cancel();
    }

    private Subscription upstream() {
      return upstream == null ? Operators.cancelledSubscription() : upstream;
    }

    @Override
    public void onError(Throwable error) {
      executor.execute(
          () -> {
            if (cancelled) {
              Operators.onErrorDropped(error, actual.currentContext());
            } else {
              actual.onError(error);
            }
          });
    }
  }

  /** Value and completion are one task. */
  private static final class MonoSubscriber<T> extends Hop<T> {
    private boolean done;

    MonoSubscriber(CoreSubscriber<? super T> actual, Executor executor) {
      super(actual, executor);
    }

    @Override
    public void onNext(T value) {
      done = true;
      executor.execute(
          () -> {
            if (cancelled) {
              Operators.onDiscard(value, actual.currentContext());
            } else {
              actual.onNext(value);
              actual.onComplete();
            }
          });
    }

    @Override
    public void onComplete() {
      if (!done) {
        executor.execute(
            () -> {
              if (!cancelled) {
                actual.onComplete();
              }
            });
      }
    }
  }

  /**
   * Asks for the next value when the last has been delivered. So a state watch reads the state that
   * is newest then, and none waits in the executor, however large the demand is.
   */
  private static final class FluxSubscriber<T> extends Hop<T> {
    private final AtomicLong demand = new AtomicLong();

    FluxSubscriber(CoreSubscriber<? super T> actual, Executor executor) {
      super(actual, executor);
    }

    @Override
    public void request(long n) {
      if (n <= 0) {
        super.request(n); // the source knows what to say
      } else if (demand.getAndAccumulate(n, Operators::addCap) == 0) {
        super.request(1);
      }
    }

    @Override
    public void onNext(T value) {
      executor.execute(() -> deliver(value));
    }

    private void deliver(T value) {
      if (cancelled) {
        Operators.onDiscard(value, actual.currentContext());
        return;
      }
      actual.onNext(value);
      boolean unbounded = demand.get() == Long.MAX_VALUE;
      if (!cancelled && (unbounded || demand.decrementAndGet() > 0)) {
        super.request(1);
      }
    }

    @Override
    public void onComplete() {
      executor.execute(
          () -> {
            if (!cancelled) {
              actual.onComplete();
            }
          });
    }
  }
}
