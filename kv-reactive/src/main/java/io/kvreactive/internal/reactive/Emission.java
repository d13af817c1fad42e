package io.kvreactive.internal.reactive;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.concurrent.Executor;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The rule where signals are emitted: on the Vert.x context that was current at subscribe, else on
 * the store's callback thread. Both run tasks in order.
 */
public final class Emission {
  private final Executor fallback;

  /**
   * @param fallback for subscribers without a context; must run tasks one at a time, in order
   */
  public Emission(Executor fallback) {
    this.fallback = fallback;
  }

  /** The executor for whoever subscribes now, on this thread. */
  public Executor forSubscriber() {
    Context context = Vertx.currentContext();
    return context == null ? fallback : task -> context.runOnContext(ignored -> task.run());
  }

  /** The same Mono, emitting where it should. */
  public <T> Mono<T> apply(Mono<T> source) {
    return new EmitOn.OfMono<>(source, this);
  }

  /** The same Flux, emitting where it should; demand passes through, nothing is prefetched. */
  public <T> Flux<T> apply(Flux<T> source) {
    return new EmitOn.OfFlux<>(source, this);
  }
}
