package io.kvreactive.index.internal.exec;

import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;

/**
 * Steps of a query, which are done at once when what they need is there already: a chain of
 * operators took more of a point query than its reads. Steps are for one subscription, and made
 * when it is their turn.
 */
final class MonoFusion {
  private MonoFusion() {}

  /** What it emits, if that is known without waiting; null for all others, and for errors. */
  static <A> @Nullable A value(Mono<A> step) {
    if (!(step instanceof Callable<?> known)) {
      return null;
    }
    try {
      @SuppressWarnings("unchecked") // a Mono calls what it emits
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
}
