package io.kvreactive.index.internal.collection;

import io.kvreactive.index.internal.worker.Workers;
import io.kvreactive.internal.shared.ContextExecutor;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

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

  /**
   * Creates a scheduler.
   *
   * @param threads the threads of the database
   */
  public SignalScheduler(Workers.Share threads) {
    this.threads = threads;
    this.worker = threads.items();
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
    return emit(worker, source);
  }

  /** Like {@link #emit(Mono)}, with another scheduler. */
  static <T> Mono<T> emit(Scheduler worker, Mono<T> source) {
    return Mono.defer(
        () -> {
          Scheduler context = context();
          return source.subscribeOn(worker).publishOn(context == null ? worker : context);
        });
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
    return Flux.defer(
        () -> {
          Scheduler context = context();
          return DemandGate.apply(
              source.subscribeOn(worker, false),
              flux -> flux.publishOn(context == null ? worker : context, prefetch));
        });
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
        () -> {
          Scheduler context = context();
          return context == null ? source : source.publishOn(context);
        });
  }

  /** Like {@link #deliver(Mono)}, for a source that is created for each subscriber. */
  public <T> Flux<T> deliver(Supplier<Flux<T>> source) {
    return Flux.defer(
        () -> {
          Scheduler context = context();
          Flux<T> created = source.get();
          return context == null
              ? created
              : DemandGate.apply(created, flux -> flux.publishOn(context, PREFETCH));
        });
  }

  private static @Nullable Scheduler context() {
    Executor context = ContextExecutor.current();
    return context == null ? null : Schedulers.fromExecutor(context);
  }
}
