package io.kvreactive.index.internal.exec;

import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/** Steps that follow each other, without a stack that grows. */
final class Loop {
  private Loop() {}

  /** Takes steps until it is done; completes then. */
  static Mono<Void> until(BooleanSupplier done, Supplier<? extends Mono<?>> step) {
    return Mono.defer(
        () ->
            done.getAsBoolean()
                ? Mono.empty()
                : Mono.defer(step).repeat(() -> !done.getAsBoolean()).then());
  }
}
