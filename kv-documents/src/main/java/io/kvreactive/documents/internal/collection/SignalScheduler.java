package io.kvreactive.documents.internal.collection;

import io.kvreactive.documents.internal.worker.Workers;
import io.kvreactive.internal.shared.SubscriberContext;
import java.util.function.Supplier;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Runs work on the threads of this library and emits signals on the Vert.x context that was current
 * at subscription. Without such a context, the threads of this library emit the signals too.
 * Nothing is requested from a source before there is demand.
 */
public final class SignalScheduler {
  /** Maximum number of elements that are read ahead once a subscriber has demand. */
  private static final int PREFETCH = 32;

  private final Workers.Share threads;
  private final Scheduler worker;
  private final SubscriberContext subscriberContext;

  /**
   * Creates a scheduler.
   *
   * @param threads the threads of the database
   */
  public SignalScheduler(Workers.Share threads) {
    this.threads = threads;
    this.worker = threads.items();
    this.subscriberContext = new SubscriberContext(worker::schedule);
  }

  /** Returns the threads of the database. */
  public Workers.Share threads() {
    return threads;
  }

  /** Returns the scheduler for item operations, which must never block. */
  public Scheduler worker() {
    return worker;
  }

  /** Subscribes to {@code source} on a worker and emits its signals on the subscriber's context. */
  public <T> Mono<T> emit(Mono<T> source) {
    return subscriberContext.apply(source.subscribeOn(worker));
  }

  /** Like {@link #emit(Mono)}. */
  public <T> Flux<T> emit(Flux<T> source) {
    return emit(source, PREFETCH);
  }

  /**
   * Like {@link #emit(Mono)}.
   *
   * @param prefetch the maximum number of elements read ahead once there is demand
   */
  public <T> Flux<T> emit(Flux<T> source, int prefetch) {
    return delivered(source.subscribeOn(worker, false), prefetch);
  }

  /** Like {@link #emit(Mono)}, for a source whose last step is on any worker. */
  public <T> Mono<T> work(Mono<T> source) {
    return deliver(source.subscribeOn(worker));
  }

  /**
   * Emits the signals of a source on the subscriber's context; the source must move to a worker
   * itself.
   */
  public <T> Mono<T> deliver(Mono<T> source) {
    return Mono.defer(
        () -> SubscriberContext.hasContext() ? subscriberContext.apply(source) : source);
  }

  /** Like {@link #deliver(Mono)}, for a source that is created for each subscriber. */
  public <T> Flux<T> deliver(Supplier<Flux<T>> source) {
    return Flux.defer(
        () -> {
          Flux<T> created = source.get();
          return SubscriberContext.hasContext() ? delivered(created, PREFETCH) : created;
        });
  }

  private <T> Flux<T> delivered(Flux<T> source, int prefetch) {
    return DemandGate.apply(
        source, flux -> flux.publishOn(subscriberContext.scheduler(), prefetch));
  }
}
