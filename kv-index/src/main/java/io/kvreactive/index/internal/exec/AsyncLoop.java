package io.kvreactive.index.internal.exec;

import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/** Steps that follow each other, without a stack that grows. */
final class AsyncLoop {
  private AsyncLoop() {}

  /**
   * Takes steps until it is done, the first of them at once.
   *
   * @param each what to do with what a step emits
   * @param end what to emit then
   */
  static <A, B> Mono<B> until(
      BooleanSupplier done, Supplier<Mono<A>> step, Consumer<A> each, Supplier<B> end) {
    while (!done.getAsBoolean()) {
      Mono<A> next = step.get();
      A value = MonoFusion.value(next);
      if (value == null) {
        return next.doOnNext(each)
            .then(
                Mono.defer(() -> done.getAsBoolean() ? Mono.empty() : step.get().doOnNext(each))
                    .repeat(() -> !done.getAsBoolean())
                    .then())
            .then(Mono.fromSupplier(end));
      }
      each.accept(value);
    }
    return Mono.just(end.get());
  }
}
