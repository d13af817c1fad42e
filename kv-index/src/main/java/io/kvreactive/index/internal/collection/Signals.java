package io.kvreactive.index.internal.collection;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.concurrent.RejectedExecutionException;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Where work is done and signals are emitted: work on the threads of this library, signals on the
 * Vert.x context that was current at subscribe, or on those threads where there was none.
 */
public final class Signals {
  private static final int PREFETCH = 32;

  private Signals() {}

  /** The threads of this library; they never block. */
  public static Scheduler worker() {
    return Holder.WORKER;
  }

  /** Signals of {@code source} are emitted where they should; it is subscribed to on a worker. */
  public static <T> Mono<T> emit(Mono<T> source) {
    return Mono.defer(
        () -> {
          Context context = Vertx.currentContext();
          return source.subscribeOn(worker()).publishOn(context == null ? worker() : on(context));
        });
  }

  /** Like the other. */
  public static <T> Flux<T> emit(Flux<T> source) {
    return emit(source, PREFETCH);
  }

  /**
   * Like the other.
   *
   * @param prefetch how much is asked for before there is demand
   */
  public static <T> Flux<T> emit(Flux<T> source, int prefetch) {
    return Flux.defer(
        () -> {
          Context context = Vertx.currentContext();
          return source
              .subscribeOn(worker(), false)
              .publishOn(context == null ? worker() : on(context), prefetch);
        });
  }

  /** Like {@link #emit} for a source whose last step is on a worker, whichever that is. */
  public static <T> Mono<T> work(Mono<T> source) {
    return deliver(source.subscribeOn(worker()));
  }

  /** Signals of a source that does its work on a worker by itself are emitted where they should. */
  public static <T> Mono<T> deliver(Mono<T> source) {
    return Mono.defer(
        () -> {
          Context context = Vertx.currentContext();
          return context == null ? source : source.publishOn(on(context));
        });
  }

  /** Like the other. */
  public static <T> Flux<T> deliver(Flux<T> source) {
    return Flux.defer(
        () -> {
          Context context = Vertx.currentContext();
          return context == null ? source : source.publishOn(on(context), PREFETCH);
        });
  }

  private static Scheduler on(Context context) {
    return Schedulers.fromExecutor(
        task -> {
          try {
            context.runOnContext(ignored -> task.run());
          } catch (RejectedExecutionException e) {
            // nobody is there any more
          }
        });
  }

  private static final class Holder {
    static final Scheduler WORKER =
        Schedulers.newParallel(
            "kv-index", Math.max(2, Runtime.getRuntime().availableProcessors()), true);
  }
}
