package io.kvreactive.index.internal.exec;

import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;

/**
 * Operators on {@link Mono} that run at once if the input is available already. A chain of
 * Reactor's operators took more time of a point query than its reads. A step is for one
 * subscription and is created just before it runs.
 */
final class MonoFusion {
  private MonoFusion() {}

  /** Returns the value of a step if it is known without waiting; null otherwise, and for errors. */
  static <A> @Nullable A value(Mono<A> step) {
    if (!(step instanceof Callable<?> known)) {
      return null;
    }
    try {
      @SuppressWarnings("unchecked") // a Mono is a callable of its value
      A value = (A) known.call();
      return value;
    } catch (Exception e) {
      throw Exceptions.propagate(e);
    }
  }

  static <A, B> Mono<B> map(Mono<A> step, Function<? super A, ? extends B> next) {
    A value = value(step);
    return value == null ? step.map(next) : Mono.just(next.apply(value));
  }

  static <A, B> Mono<B> flatMap(Mono<A> step, Function<? super A, Mono<B>> next) {
    A value = value(step);
    return value == null ? step.flatMap(next) : next.apply(value);
  }

  /**
   * Runs steps until {@code done} returns true; the first step always runs. The stack does not grow
   * with the number of steps.
   *
   * @param each the consumer of the elements that a step emits
   * @param end the supplier of the value emitted at the end
   */
  static <A, B> Mono<B> until(
      BooleanSupplier done, Supplier<Mono<A>> step, Consumer<A> each, Supplier<B> end) {
    while (!done.getAsBoolean()) {
      Mono<A> next = step.get();
      A value = value(next);
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
