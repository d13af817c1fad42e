package io.kvreactive.internal.api;

import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvMessage;
import io.kvreactive.spi.Finish;
import io.kvreactive.spi.LeaseToken;
import io.kvreactive.spi.LeasedMessage;
import io.kvreactive.spi.SerialSubscription;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * A subscription to a queue. It claims at most the requested number of messages, and at most the
 * number that may be in flight. So no message is leased without being processed.
 */
final class QueueSubscription<T> extends SerialSubscription<KvMessage<T>> {
  private static final Logger LOG = LoggerFactory.getLogger(QueueSubscription.class);
  private static final int MAX_PER_CLAIM = 1000;
  private static final long RETRY_MILLIS = 1000;

  private final QueueFlux<T> queue;
  private final Heartbeat<T> heartbeat;
  private final Set<DeliveredMessage<T>> unfinished = ConcurrentHashMap.newKeySet();
  private final ConcurrentLinkedQueue<DeliveredMessage<T>> arrived = new ConcurrentLinkedQueue<>();
  private final Disposable.Swap claim = Disposables.swap();
  private final Disposable.Swap closing = Disposables.swap();
  private final Disposable.Swap stopSignal = Disposables.swap();
  private volatile boolean closed; // the store or the handle is closed
  private volatile boolean stopping;
  private volatile boolean claiming;

  QueueSubscription(
      QueueFlux<T> queue, CoreSubscriber<? super KvMessage<T>> actual, Executor executor) {
    super(actual, executor);
    this.queue = queue;
    this.heartbeat =
        new Heartbeat<>(queue.engine, queue.options, unfinished, this::removeDelivery, this::close);
  }

  void completeWith(Mono<Void> closed) {
    closing.update(closed.subscribe(ignored -> {}, ignored -> {}, this::close));
  }

  /** Stops claiming messages at the signal, and completes when the last one is finished. */
  void stopWith(Publisher<?> signal) {
    stopSignal.update(
        Flux.from(signal)
            .next()
            .subscribe(
                ignored -> {},
                e -> {
                  LOG.warn(
                      "the stop signal of queue \"{}\" failed, which stops the subscription",
                      queue.options.queue(),
                      e);
                  stop();
                },
                this::stop));
  }

  private void stop() {
    stopping = true;
    wake();
  }

  private void close() {
    closed = true;
    complete();
  }

  @Override
  public void cancel() {
    super.cancel();
    heartbeat.stop(); // here, because the executor may have ended with its Vert.x instance
  }

  @Override
  protected void step() {
    emit();
    if (isEnding()) {
      return;
    }
    if (stopping) {
      drain();
    } else {
      claim();
    }
  }

  /** Keeps the emitted messages until they are finished, and returns the others. */
  private void drain() {
    claim.dispose();
    DeliveredMessage<T> next;
    while ((next = arrived.poll()) != null) {
      unfinished.remove(next);
      giveBack(next, next.release());
    }
    if (unfinished.isEmpty()) {
      terminate(null);
    }
  }

  private void emit() {
    DeliveredMessage<T> next;
    while (!isEnding() && !stopping && requested() > 0 && (next = arrived.poll()) != null) {
      next.emitted();
      emit(next);
    }
  }

  /**
   * Returns unfinished messages, even those that arrive afterwards. Deliveries of emitted messages
   * count, because they may have made the subscriber fail. They do not count if the store or the
   * handle is closed.
   */
  @Override
  protected void release() {
    claim.dispose();
    closing.dispose();
    stopSignal.dispose();
    heartbeat.stop();
    arrived.clear();
    for (DeliveredMessage<T> message : List.copyOf(unfinished)) {
      unfinished.remove(message);
      boolean counts = message.wasEmitted() && !closed;
      giveBack(message, counts ? message.abandon() : message.release());
    }
  }

  private static void giveBack(DeliveredMessage<?> message, Mono<Void> how) {
    how.subscribe(ignored -> {}, e -> LOG.debug("{} could not be returned", message.id(), e));
  }

  private void claim() {
    long room = Math.min(requested() - arrived.size(), queue.options.maxInFlight());
    int max = (int) Math.min(room, queue.options.maxInFlight() - unfinished.size());
    if (claiming || max <= 0) {
      return;
    }
    claiming = true;
    long lease = heartbeat.leaseMillis(Duration.ZERO);
    Claimed claimed = new Claimed();
    claim.update(claimed);
    queue
        .engine
        .claim(queue.options.queue(), Math.min(max, MAX_PER_CLAIM), lease)
        .subscribe(claimed);
  }

  /** Receives messages even after its cancellation: they must be returned. */
  private final class Claimed extends BaseSubscriber<List<LeasedMessage>> {
    @Override
    protected void hookOnNext(List<LeasedMessage> messages) {
      claimed(messages);
    }

    @Override
    protected void hookOnComplete() {
      claimDone();
    }

    @Override
    protected void hookOnError(Throwable failed) {
      claimFailed(failed);
    }
  }

  private void claimed(List<LeasedMessage> messages) {
    for (LeasedMessage leased : messages) {
      DeliveredMessage<T> message = queue.decode(leased, this);
      if (message != null) {
        unfinished.add(message);
        arrived.add(message);
      }
    }
    heartbeat.start();
    wake();
  }

  private void claimDone() {
    claiming = false;
    wake();
  }

  private void claimFailed(Throwable failed) {
    KvErrorCode code = failed instanceof KvException e ? e.code() : KvErrorCode.INTERNAL;
    if (code == KvErrorCode.CLOSED) {
      close();
    } else if (code.retryable()) {
      LOG.warn(
          "claiming messages of queue \"{}\" failed, and is retried",
          queue.options.queue(),
          failed);
      claim.update(
          Schedulers.parallel().schedule(this::claimDone, RETRY_MILLIS, TimeUnit.MILLISECONDS));
    } else {
      fail(failed);
    }
  }

  /** Removes a finished or lost message, which makes room for others. */
  void removeDelivery(DeliveredMessage<T> message) {
    if (unfinished.remove(message)) {
      wake();
    }
  }

  Mono<Void> finish(LeaseToken token, Finish how) {
    return queue
        .engine
        .finish(token, how)
        .doOnError(
            e -> {
              if (KvError.is(e, KvErrorCode.CLOSED)) {
                close(); // there may be no claim that would notice it
              }
            });
  }

  Mono<Void> emit(Mono<Void> done) {
    return queue.subscriberContext.apply(done);
  }
}
