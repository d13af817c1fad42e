package io.kvreactive.internal.shared;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoOperator;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Passes the signals of a Mono to an executor: value and completion in one task. Demand is passed
 * through. If the executor rejects the task, the signal is emitted on the calling thread, and a
 * value is discarded: its subscriber gets the rejection.
 */
final class MonoContextHop<T> extends MonoOperator<T, T> {
  private final SubscriberContext subscriberContext;

  MonoContextHop(Mono<T> source, SubscriberContext subscriberContext) {
    super(source);
    this.subscriberContext = subscriberContext;
  }

  @Override
  public void subscribe(CoreSubscriber<? super T> actual) {
    source.subscribe(new Hop<>(actual, subscriberContext.forSubscriber()));
  }

  private static final class Hop<T> implements CoreSubscriber<T>, Subscription {
    private final CoreSubscriber<? super T> actual;
    private final Executor executor;
    private Subscription upstream = Operators.cancelledSubscription();
    private volatile boolean cancelled;
    private boolean done;

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
      upstream.request(n);
    }

    @Override
    public void cancel() {
      cancelled = true;
      upstream.cancel();
    }

    @Override
    public void onNext(T value) {
      done = true;
      try {
        executor.execute(
            () -> {
              if (cancelled) {
                Operators.onDiscard(value, actual.currentContext());
              } else {
                actual.onNext(value);
                actual.onComplete();
              }
            });
      } catch (RejectedExecutionException e) {
        Operators.onDiscard(value, actual.currentContext());
        actual.onError(
            Operators.onRejectedExecution(e, null, null, value, actual.currentContext()));
      }
    }

    @Override
    public void onError(Throwable error) {
      last(
          () -> {
            if (!cancelled) { // else it is often a consequence of the cancellation
              actual.onError(error);
            }
          });
    }

    @Override
    public void onComplete() {
      if (!done) {
        last(
            () -> {
              if (!cancelled) {
                actual.onComplete();
              }
            });
      }
    }

    private void last(Runnable signal) {
      try {
        executor.execute(signal);
      } catch (RejectedExecutionException e) {
        signal.run();
      }
    }
  }
}
