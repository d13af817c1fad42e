package io.kvreactive.stress;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * A publisher for one subscriber, which counts what is requested. It emits what it is told to.
 *
 * @param <T> the type of the elements
 */
public final class Source<T> implements Publisher<T> {
  private final AtomicLong requested = new AtomicLong();
  private final AtomicInteger cancellations = new AtomicInteger();
  private Subscriber<? super T> subscriber;
  private long emitted;

  @Override
  public void subscribe(Subscriber<? super T> actual) {
    subscriber = actual;
    actual.onSubscribe(
        new Subscription() {
          @Override
          public void request(long n) {
            requested.addAndGet(n);
          }

          @Override
          public void cancel() {
            cancellations.incrementAndGet();
          }
        });
  }

  /** Returns the subscriber. */
  public Subscriber<? super T> subscriber() {
    return subscriber;
  }

  /** Emits an element. Must be called on one thread at a time. */
  public void emit(T element) {
    emitted++;
    subscriber.onNext(element);
  }

  /** Returns the number of emitted elements. */
  public long emitted() {
    return emitted;
  }

  /** Returns the number of requested elements. */
  public long requested() {
    return requested.get();
  }

  /** Returns the number of cancellations. */
  public int cancellations() {
    return cancellations.get();
  }
}
