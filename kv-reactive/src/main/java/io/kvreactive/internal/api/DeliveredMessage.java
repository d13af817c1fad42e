package io.kvreactive.internal.api;

import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvMessage;
import io.kvreactive.spi.Finish;
import io.kvreactive.spi.LeaseToken;
import io.kvreactive.spi.LeasedMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** A message that its consumer has not finished yet. Thread-safe. */
final class DeliveredMessage<T> implements KvMessage<T> {
  private final LeasedMessage leased;
  private final @Nullable T value;
  private final QueueSubscription<T> subscription;
  private final long since = System.nanoTime();
  private final AtomicReference<@Nullable Completion> completion = new AtomicReference<>();

  private volatile boolean emitted;

  /** The way in which the message is being finished, or was. */
  private record Completion(Finish how, Mono<Void> done) {}

  DeliveredMessage(LeasedMessage leased, @Nullable T value, QueueSubscription<T> subscription) {
    this.leased = leased;
    this.value = value;
    this.subscription = subscription;
  }

  LeaseToken token() {
    return leased.token();
  }

  /** Returns true if an ack, nack or release has completed or is in progress. */
  boolean isBeingFinished() {
    return completion.get() != null;
  }

  /** Records that the message is passed to the subscriber now. */
  void emitted() {
    emitted = true;
  }

  boolean wasEmitted() {
    return emitted;
  }

  /** Returns the time since the delivery. */
  Duration age() {
    return Duration.ofNanos(System.nanoTime() - since);
  }

  @Override
  public @Nullable T value() {
    return value;
  }

  @Override
  public String id() {
    return token().id();
  }

  @Override
  public String queue() {
    return token().queue();
  }

  @Override
  public int attempt() {
    return leased.attempt();
  }

  @Override
  public boolean lastAttempt() {
    return leased.lastAttempt();
  }

  @Override
  public Instant enqueuedAt() {
    return Instant.ofEpochMilli(leased.enqueuedAt());
  }

  @Override
  public Mono<Void> ack() {
    return subscription.emit(Mono.defer(() -> finish(new Finish.Ack())));
  }

  @Override
  public Mono<Void> nack() {
    return subscription.emit(Mono.defer(() -> finish(new Finish.Retry(null))));
  }

  @Override
  public Mono<Void> nack(Duration retryIn) {
    return subscription.emit(
        Mono.defer(() -> finish(new Finish.Retry(EnqueueMapper.millis("retryIn", retryIn)))));
  }

  /** Returns the message without counting the delivery, unless it is being finished. */
  Mono<Void> release() {
    return finish(new Finish.Release());
  }

  /** Ends this delivery, which counts, unless the message is being finished. */
  Mono<Void> abandon() {
    return finish(new Finish.Retry(null));
  }

  /** Stops extending the lease, so that it ends after its time. */
  void leave() {
    subscription.removeDelivery(this);
  }

  private Mono<Void> finish(Finish how) {
    Completion mine = new Completion(how, finished(how).cache());
    Completion first = completion.compareAndExchange(null, mine);
    if (first == null) {
      return mine.done;
    }
    return first.how.getClass() == how.getClass() ? first.done : Mono.error(lost(first.how));
  }

  private Mono<Void> finished(Finish how) {
    return subscription
        .finish(token(), how)
        .doOnSuccess(ignored -> subscription.removeDelivery(this))
        .doOnError(
            failure -> {
              if (KvError.is(failure, KvErrorCode.LEASE_LOST)) {
                subscription.removeDelivery(this);
              } else {
                completion.set(null); // may be tried again
              }
            });
  }

  private KvException lost(Finish first) {
    String what =
        first instanceof Finish.Ack
            ? "acked"
            : first instanceof Finish.Retry ? "nacked or cancelled" : "given back";
    return new KvException(
        KvErrorCode.LEASE_LOST,
        "message " + id() + " of queue \"" + queue() + "\" was " + what + " (expected: once)");
  }

  @Override
  public String toString() {
    return "KvMessage[" + queue() + " " + id() + ", attempt " + attempt() + ": " + value + "]";
  }
}
