package io.kvreactive.internal.shared;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * The rule of emission: signals are emitted on the Vert.x context that was current at subscribe,
 * else on a fallback (docs/adr/0005). A context runs tasks in order. It drops tasks after its
 * Vert.x instance is closed: they have no receiver any more, and other subscribers must still get
 * their signals.
 */
public final class SubscriberContext {
  private static final Logger LOG = LoggerFactory.getLogger(SubscriberContext.class);

  // A setting of Reactor for the whole process, made once: block() on an event loop fails with an
  // IllegalStateException. Otherwise it would wait forever for signals that the same thread must
  // emit.
  static {
    Schedulers.registerNonBlockingThreadPredicate(
        thread -> thread == Thread.currentThread() && Context.isOnEventLoopThread());
  }

  /** The rule without a fallback: subscribers without a context get an IllegalStateException. */
  public static final SubscriberContext REQUIRED = new SubscriberContext();

  /** The rule with threads of Reactor's bounded elastic scheduler as the fallback: may block. */
  public static final SubscriberContext ELASTIC =
      new SubscriberContext(signal -> Schedulers.boundedElastic().schedule(signal));

  /**
   * Maximum size of keys and values that are read and decoded on the context itself, if they are in
   * memory. Larger ones would delay what else runs there.
   */
  public static final int SMALL_BYTES = 4 << 10;

  /** Maximum number of elements of a sequence that wait for their subscriber. */
  private static final int MAX_AHEAD = 128;

  private final @Nullable Executor fallback;

  /**
   * Creates a rule.
   *
   * @param fallback the executor for subscribers without a context. If it runs tasks concurrently,
   *     the signals of one subscription are still serialized.
   */
  public SubscriberContext(Executor fallback) {
    this.fallback = fallback;
  }

  private SubscriberContext() {
    this.fallback = null;
  }

  /** Returns true if a context is current on this thread. */
  public static boolean hasContext() {
    return Vertx.currentContext() != null;
  }

  /** Returns the executor for a subscriber that subscribes now, on this thread. */
  public Executor forSubscriber() {
    Executor context = current();
    if (context != null) {
      return task -> run(context, task);
    }
    if (fallback == null) {
      throw new IllegalStateException("not on a Vert.x context");
    }
    return fallback;
  }

  /**
   * Returns the context that is current on this thread as an executor, or null. It rejects tasks
   * after its Vert.x instance is closed.
   */
  public static @Nullable Executor current() {
    Context context = Vertx.currentContext();
    return context == null ? null : task -> context.runOnContext(ignored -> task.run());
  }

  private static void run(Executor context, Runnable task) {
    try {
      context.execute(task);
    } catch (RejectedExecutionException e) {
      LOG.debug("a signal was dropped: the subscriber's Vert.x instance is closed", e);
    }
  }

  /** Returns {@link #forSubscriber()} as a scheduler for operators of Reactor. */
  public Scheduler scheduler() {
    return Schedulers.fromExecutor(forSubscriber());
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
