package io.kvreactive.stress;

import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/**
 * A subscriber that counts its signals. Not synchronized: signals that overlap are miscounted.
 *
 * @param <T> the type of the elements
 */
public class Signals<T> implements CoreSubscriber<T> {
  /** The number of elements. */
  public int elements;

  /** The number of completions. */
  public int completions;

  /** The number of errors. */
  public int errors;

  /** The last element; null before the first. */
  public T last;

  private Subscription subscription;

  @Override
  public void onSubscribe(Subscription s) {
    subscription = s;
  }

  /** Requests elements. */
  public void request(long n) {
    subscription.request(n);
  }

  @Override
  public void onNext(T element) {
    elements++;
    last = element;
  }

  @Override
  public void onError(Throwable error) {
    errors++;
  }

  @Override
  public void onComplete() {
    completions++;
  }
}
