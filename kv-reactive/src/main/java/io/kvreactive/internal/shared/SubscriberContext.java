package io.kvreactive.internal.shared;

import io.vertx.core.Context;
import java.util.concurrent.Executor;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * The context on which signals are emitted: the Vert.x context that was current at subscribe, else
 * the store's callback thread. Both run tasks in order.
 */
public final class SubscriberContext {
  // A setting of Reactor for the whole process, made once: block() on an event loop fails with an
  // IllegalStateException. Otherwise it would wait forever for signals that the same thread must
  // emit.
  static {
    Schedulers.registerNonBlockingThreadPredicate(
        thread -> thread == Thread.currentThread() && Context.isOnEventLoopThread());
  }

  /** Maximum number of elements of a sequence that wait for their subscriber. */
  private static final int MAX_AHEAD = 128;

  private final Executor fallback;

  /**
   * Creates the rule of a store.
   *
   * @param fallback the executor for subscribers without a context, which must run tasks one at a
   *     time, in order
   */
  public SubscriberContext(Executor fallback) {
    this.fallback = fallback;
  }

  /** Returns the executor for a subscriber that subscribes now, on this thread. */
  public Executor forSubscriber() {
    Executor context = ContextExecutor.current();
    return context == null ? fallback : context;
  }

  /** Returns a Mono that emits on the subscriber's context. */
  public <T> Mono<T> apply(Mono<T> source) {
    return new MonoContextHop<>(source, this);
  }

  /**
   * Returns a Flux that emits on the subscriber's context, for sequences of states: the next
   * element is requested when the last has been delivered.
   */
  public <T> Flux<T> apply(Flux<T> source) {
    return new FluxContextHop<>(source.map(element -> new Weighted<>(element, 0)), this, 1);
  }

  /**
   * Returns a Flux that emits on the subscriber's context, many elements in one task, for sequences
   * in which each element counts. At most {@value #MAX_AHEAD} elements wait for delivery, with
   * bounded bytes.
   */
  public <T> Flux<T> applyInBatches(Flux<Weighted<T>> source) {
    return new FluxContextHop<>(source, this, MAX_AHEAD);
  }
}
