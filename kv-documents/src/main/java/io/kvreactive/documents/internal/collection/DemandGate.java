package io.kvreactive.documents.internal.collection;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxOperator;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Holds back the requests of operators that prefetch, such as {@code publishOn} and {@code
 * concatMap}, until their subscriber has requested an element. Without demand, the source is
 * subscribed to, and nothing is requested from it. For one subscription.
 */
public final class DemandGate<T> extends FluxOperator<T, T> {
  private @Nullable GatedSubscription<T> gated; // set before there can be demand

  private DemandGate(Flux<T> source) {
    super(source);
  }

  /** Applies operators to a source. Their first request passes when there is demand. */
  public static <T, R> Flux<R> apply(Flux<T> source, Function<Flux<T>, Flux<R>> operators) {
    return Flux.defer(
        () -> {
          DemandGate<T> gate = new DemandGate<>(source);
          return operators.apply(gate).doOnRequest(demand -> gate.open());
        });
  }

  @Override
  public void subscribe(CoreSubscriber<? super T> actual) {
    GatedSubscription<T> subscriber = new GatedSubscription<>(actual);
    gated = subscriber;
    source.subscribe(subscriber);
  }

  private void open() {
    Objects.requireNonNull(gated).open();
  }

  /** Collects the requests until the gate opens. */
  private static final class GatedSubscription<T> extends Operators.DeferredSubscription
      implements CoreSubscriber<T> {
    private final CoreSubscriber<? super T> actual;
    private final AtomicBoolean open = new AtomicBoolean();
    private @Nullable Subscription upstream;

    GatedSubscription(CoreSubscriber<? super T> actual) {
      this.actual = actual;
    }

    void open() {
      if (!open.get() && open.compareAndSet(false, true)) {
        set(Objects.requireNonNull(upstream));
      }
    }

    @Override
    public Context currentContext() {
      return actual.currentContext();
    }

    @Override
    public void onSubscribe(Subscription s) {
      if (Operators.validate(upstream, s)) {
        upstream = s;
        actual.onSubscribe(this);
      }
    }

    @Override
    public void cancel() {
      super.cancel();
      Objects.requireNonNull(upstream).cancel();
    }

    @Override
    public void onNext(T element) {
      actual.onNext(element);
    }

    @Override
    public void onError(Throwable error) {
      actual.onError(error);
    }

    @Override
    public void onComplete() {
      actual.onComplete();
    }
  }
}
