package io.kvreactive.internal.reactive;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The rule where signals are emitted: on the Vert.x context that was current at subscribe, else on
 * the store's callback thread. Both run tasks in order.
 */
public final class SubscriberContext {
  private static final Logger LOG = LoggerFactory.getLogger(SubscriberContext.class);

  /** Maximum number of elements of a sequence that wait for their subscriber. */
  private static final int MAX_AHEAD = 128;

  private final Executor fallback;

  /**
   * @param fallback for subscribers without a context; must run tasks one at a time, in order
   */
  public SubscriberContext(Executor fallback) {
    this.fallback = fallback;
  }

  /** Returns the executor for whoever subscribes now, on this thread. */
  public Executor forSubscriber() {
    Context context = Vertx.currentContext();
    return context == null ? fallback : task -> run(context, task);
  }

  private static void run(Context context, Runnable task) {
    try {
      context.runOnContext(ignored -> task.run());
    } catch (RejectedExecutionException e) {
      // nobody is there any more; whoever signals has others to signal to
      LOG.debug("a signal was dropped: the subscriber's Vert.x is closed", e);
    }
  }

  /** Returns the same Mono, emitting where it should. */
  public <T> Mono<T> apply(Mono<T> source) {
    return new MonoContextHop<>(source, this);
  }

  /**
   * Returns the same Flux, emitting where it should, for sequences of states: the next element is
   * requested when the last has been delivered.
   */
  public <T> Flux<T> apply(Flux<T> source) {
    return new FluxContextHop<>(source.map(element -> new Weighted<>(element, 0)), this, 1);
  }

  /**
   * Returns the same Flux, emitting where it should, many elements in one task, for sequences of
   * which each element counts. At most {@value #MAX_AHEAD} elements wait for that, and bounded
   * bytes of them.
   */
  public <T> Flux<T> applyInBatches(Flux<Weighted<T>> source) {
    return new FluxContextHop<>(source, this, MAX_AHEAD);
  }
}
