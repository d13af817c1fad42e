package io.kvreactive.internal.shared;

import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * A subscriber that can be cancelled at any time, also before it has its subscription. It ignores
 * what is signalled after the cancellation, which Reactive Streams permits (rule 2.8): a failure
 * then is often a consequence of the cancellation, and Reactor's own subscribers would log it.
 *
 * @param <T> the type of the elements
 */
public abstract class CancellableSubscriber<T> implements CoreSubscriber<T>, Disposable {
  @SuppressWarnings("rawtypes") // an updater has the raw type
  private static final AtomicReferenceFieldUpdater<CancellableSubscriber, Subscription> UPSTREAM =
      AtomicReferenceFieldUpdater.newUpdater(
          CancellableSubscriber.class, Subscription.class, "upstream");

  private volatile @Nullable Subscription upstream;

  /**
   * Subscribes to a single value.
   *
   * @param received called with the value
   * @param failed called with a failure, also of {@code received}
   * @return the subscription
   */
  public static <T> Disposable receive(
      Mono<T> source, Consumer<? super T> received, Consumer<? super Throwable> failed) {
    return receive(source, received, failed, Context.empty());
  }

  static <T> Disposable receive(
      Mono<T> source,
      Consumer<? super T> received,
      Consumer<? super Throwable> failed,
      Context context) {
    Receiver<T> receiver = new Receiver<>(received, failed, context);
    source.subscribe(receiver);
    return receiver;
  }

  @Override
  public final void onSubscribe(Subscription subscription) {
    if (Operators.setOnce(UPSTREAM, this, subscription)) {
      subscribed();
    }
  }

  /** Called with the subscription. Nothing is requested before. */
  protected abstract void subscribed();

  @Override
  public final void onNext(T element) {
    if (isDisposed()) {
      Operators.onDiscard(element, currentContext());
    } else {
      received(element);
    }
  }

  /** Called with each element, possibly during a cancellation. Must not throw. */
  protected abstract void received(T element);

  @Override
  public final void onError(Throwable failure) {
    if (ends()) {
      failed(failure);
    }
  }

  protected abstract void failed(Throwable failure);

  @Override
  public final void onComplete() {
    if (ends()) {
      completed();
    }
  }

  /** Forgets the subscription, which has ended by itself. Returns false if it was cancelled. */
  final boolean ends() {
    Subscription ended = UPSTREAM.getAndSet(this, Operators.cancelledSubscription());
    return ended != Operators.cancelledSubscription();
  }

  protected abstract void completed();

  /** Returns true if the subscription was passed to this subscriber. */
  public final boolean isSubscribed() {
    return upstream != null;
  }

  /** Requests elements. Must not be called before {@link #subscribed}. */
  public final void request(long n) {
    Subscription subscription = upstream;
    if (subscription != null) {
      subscription.request(n);
    }
  }

  /** Cancels the subscription. Idempotent. */
  @Override
  public final void dispose() {
    Operators.terminate(UPSTREAM, this);
  }

  /** Returns true if the subscription was cancelled or has ended. */
  @Override
  public final boolean isDisposed() {
    return upstream == Operators.cancelledSubscription();
  }

  private static final class Receiver<T> extends CancellableSubscriber<T> {
    private final Consumer<? super T> received;
    private final Consumer<? super Throwable> failed;
    private final Context context;

    Receiver(Consumer<? super T> received, Consumer<? super Throwable> failed, Context context) {
      this.received = received;
      this.failed = failed;
      this.context = context;
    }

    @Override
    public Context currentContext() {
      return context;
    }

    @Override
    protected void subscribed() {
      request(Long.MAX_VALUE);
    }

    @Override
    protected void received(T value) {
      if (!ends()) { // before the value is used, whose consumer may dispose of this subscriber
        return;
      }
      try {
        received.accept(value);
      } catch (Throwable e) {
        Exceptions.throwIfFatal(e);
        failed.accept(e);
      }
    }

    @Override
    protected void failed(Throwable failure) {
      failed.accept(failure);
    }

    @Override
    protected void completed() {}
  }
}
