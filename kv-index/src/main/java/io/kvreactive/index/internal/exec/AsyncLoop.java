package io.kvreactive.index.internal.exec;

import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/** An asynchronous loop whose stack does not grow with the number of steps. */
final class AsyncLoop {
  private AsyncLoop() {}

  /**
   * Runs steps until {@code done} returns true; the first step always runs.
   *
   * @param each the consumer of the elements that a step emits
   * @param end the supplier of the value emitted at the end
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
