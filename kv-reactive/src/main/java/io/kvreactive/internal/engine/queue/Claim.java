package io.kvreactive.internal.engine.queue;

import io.kvreactive.spi.LeasedMessage;
import io.kvreactive.spi.SerialSubscription;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/**
 * A consumer's request for messages. Ends by exactly one of delivery, failure and cancellation, so
 * that messages leased for it are either delivered or returned.
 */
final class Claim implements Subscription {
  private enum Phase {
    NEW,
    WAITING,
    ENDED
  }

  final String queue;
  final int max;
  final long leaseMillis;
  private final CoreSubscriber<? super List<LeasedMessage>> actual;
  private final Consumer<Claim> start;
  private final Consumer<Claim> giveUp;
  private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.NEW);

  /**
   * Creates a claim.
   *
   * @param start called when an element is requested
   * @param giveUp called when it is cancelled after that
   */
  Claim(
      String queue,
      int max,
      long leaseMillis,
      CoreSubscriber<? super List<LeasedMessage>> actual,
      Consumer<Claim> start,
      Consumer<Claim> giveUp) {
    this.queue = queue;
    this.max = max;
    this.leaseMillis = leaseMillis;
    this.actual = actual;
    this.start = start;
    this.giveUp = giveUp;
  }

  @Override
  public void request(long n) {
    if (n <= 0) {
      fail(SerialSubscription.invalidRequest(n));
    } else if (phase.compareAndSet(Phase.NEW, Phase.WAITING)) {
      start.accept(this);
    }
  }

  @Override
  public void cancel() {
    if (phase.getAndSet(Phase.ENDED) == Phase.WAITING) {
      giveUp.accept(this);
    }
  }

  /** Returns true if nothing can be delivered any more. */
  boolean ended() {
    return phase.get() == Phase.ENDED;
  }

  /** Emits messages; returns false if the claim has ended. */
  boolean deliver(List<LeasedMessage> messages) {
    if (!phase.compareAndSet(Phase.WAITING, Phase.ENDED)) {
      return false;
    }
    actual.onNext(messages);
    actual.onComplete();
    return true;
  }

  void fail(Throwable failure) {
    if (phase.getAndSet(Phase.ENDED) != Phase.ENDED) {
      actual.onError(failure);
    }
  }
}
