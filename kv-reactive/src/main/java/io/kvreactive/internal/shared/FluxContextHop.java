package io.kvreactive.internal.shared;

import io.kvreactive.spi.SerialSubscription;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxOperator;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Passes elements to an executor that runs tasks in order, many in one task. Unlike {@code
 * publishOn} it never requests more than its subscriber has requested. It requests nothing while a
 * maximum number of elements or {@value #MAX_BYTES_AHEAD} bytes wait to be delivered. The size of
 * an element is known only when it arrives, so elements are requested one by one.
 */
final class FluxContextHop<T> extends FluxOperator<Weighted<T>, T> {
  static final long MAX_BYTES_AHEAD = 1 << 20;

  private final SubscriberContext subscriberContext;
  private final int maxAhead;

  /**
   * Creates an operator.
   *
   * @param maxAhead the maximum number of waiting elements. With 1, the next element is requested
   *     when the last has been delivered, so that a slow subscriber of states never gets an
   *     outdated one.
   */
  FluxContextHop(Flux<Weighted<T>> source, SubscriberContext subscriberContext, int maxAhead) {
    super(source);
    this.subscriberContext = subscriberContext;
    this.maxAhead = maxAhead;
  }

  @Override
  public void subscribe(CoreSubscriber<? super T> actual) {
    source.subscribe(new Hop<>(actual, subscriberContext.forSubscriber(), maxAhead));
  }

  private static final class Hop<T> extends SerialSubscription<T>
      implements CoreSubscriber<Weighted<T>> {
    @SuppressWarnings("rawtypes") // an updater has the raw type
    private static final AtomicReferenceFieldUpdater<Hop, Subscription> UPSTREAM =
        AtomicReferenceFieldUpdater.newUpdater(Hop.class, Subscription.class, "upstream");

    private final int maxAhead;
    private final ConcurrentLinkedQueue<Weighted<T>> arrived = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicLong waitingBytes = new AtomicLong();
    private final AtomicBoolean awaited =
        new AtomicBoolean(); // an element that has not arrived yet
    private volatile @Nullable Subscription upstream;
    private volatile boolean sourceEnded; // after the last element that arrived
    private volatile @Nullable Throwable failure;

    Hop(CoreSubscriber<? super T> subscriber, Executor executor, int maxAhead) {
      super(subscriber, executor);
      this.maxAhead = maxAhead;
    }

    @Override
    public Context currentContext() {
      return subscriber.currentContext();
    }

    @Override
    public void onSubscribe(Subscription s) {
      if (Operators.setOnce(UPSTREAM, this, s)) {
        subscribe();
      }
    }

    @Override
    public void cancel() {
      super.cancel();
      Operators.terminate(UPSTREAM, this);
    }

    @Override
    public void onNext(Weighted<T> element) {
      waitingBytes.addAndGet(element.bytes());
      waiting.incrementAndGet();
      arrived.add(element);
      awaited.set(false);
      wake();
      requestOne();
    }

    @Override
    public void onError(Throwable error) {
      failure = error;
      sourceEnded = true;
      wake();
    }

    @Override
    public void onComplete() {
      sourceEnded = true;
      wake();
    }

    @Override
    protected void step() {
      boolean last = sourceEnded; // before the queue is checked
      deliver();
      if (last && arrived.isEmpty()) {
        terminate(failure);
      } else {
        requestOne();
      }
    }

    private void deliver() {
      Weighted<T> next;
      while (!isEnding() && (next = arrived.poll()) != null) {
        produced(1); // first: otherwise there appears to be room for one more
        waiting.decrementAndGet();
        waitingBytes.addAndGet(-next.bytes());
        subscriber.onNext(next.element());
      }
    }

    @Override
    protected void release() {
      if (!sourceEnded) {
        Operators.terminate(UPSTREAM, this);
      }
      Weighted<T> next;
      while ((next = arrived.poll()) != null) {
        Operators.onDiscard(next.element(), subscriber.currentContext());
      }
    }

    /**
     * Requests an element if there is room. Any thread; one at a time passes the condition, until
     * the requested element has arrived.
     */
    private void requestOne() {
      while (hasRoom() && awaited.compareAndSet(false, true)) {
        Subscription source = upstream;
        if (source != null && hasRoom()) { // still true: no other element arrives from here on
          source.request(1);
          return;
        }
        awaited.set(false);
      }
    }

    private boolean hasRoom() {
      return !isEnding()
          && !sourceEnded
          && waiting.get() < Math.min(requested(), maxAhead)
          && waitingBytes.get() < MAX_BYTES_AHEAD;
    }
  }
}
