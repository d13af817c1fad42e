package io.kvreactive.index.remote.internal;

import io.kvreactive.http.client.HttpAnswer;
import io.kvreactive.internal.shared.ContextExecutor;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Emits signals on the Vert.x context that was current at subscription. Without such a context, an
 * elastic thread of Reactor emits them, which may block.
 */
final class Emission {
  /** Answers of more bytes are not parsed on an event loop. */
  private static final int LARGE_BYTES = 256 << 10;

  private Emission() {}

  static <T> Mono<T> emit(Mono<T> source) {
    return Mono.defer(() -> source.publishOn(scheduler(context())));
  }

  static <T> Flux<T> emit(Flux<T> source) {
    return Flux.defer(() -> source.publishOn(scheduler(context()), 1));
  }

  /** Emits what {@code reader} makes of an answer. */
  static <T> Mono<T> read(Mono<HttpAnswer> source, Function<HttpAnswer, T> reader) {
    return Mono.defer(
        () -> {
          Executor context = context();
          Scheduler home = scheduler(context);
          return source
              .publishOn(home)
              .flatMap(
                  answer ->
                      context == null || answer.body().length() <= LARGE_BYTES
                          ? Mono.just(reader.apply(answer))
                          : Mono.fromSupplier(() -> reader.apply(answer))
                              .subscribeOn(Schedulers.boundedElastic())
                              .publishOn(home));
        });
  }

  /** Returns the executor of the steps of a subscription, which do not overlap. */
  static Executor executor() {
    Executor context = context();
    return context == null ? Schedulers.boundedElastic()::schedule : context;
  }

  /**
   * Returns an executor of the current context, or null. On that context it runs tasks at once,
   * since answers of requests arrive there.
   */
  private static @Nullable Executor context() {
    Context own = Vertx.currentContext();
    Executor executor = ContextExecutor.current();
    return executor == null
        ? null
        : task -> {
          if (Vertx.currentContext() == own) {
            task.run();
          } else {
            executor.execute(task);
          }
        };
  }

  private static Scheduler scheduler(@Nullable Executor context) {
    return context == null ? Schedulers.boundedElastic() : Schedulers.fromExecutor(context);
  }
}
