package io.kvreactive.spi;

import io.kvreactive.KvException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/**
 * Base of subscriptions that emit on demand: counts the demand, runs one step of the work at a time
 * on an executor, and ends once.
 *
 * <p>A subclass emits in {@link #step()}. Each request, and each call of {@link #wake()}, is
 * followed by a step. Steps do not overlap, and a step sees everything that was written before the
 * wake. Nothing is emitted before {@code onSubscribe} has returned.
 *
 * <p>A subscription ends by its cancellation, or by {@link #fail}, {@link #complete} or {@link
 * #terminate}. A request of less than one element ends it with an {@link IllegalArgumentException}
 * (rule 3.9 of Reactive Streams). If the executor rejects the work, the subscription ends on the
 * calling thread, with the rejection as its error if it was not about to end.
 *
 * <p>Fields of a subclass that are accessed in {@link #step()} and {@link #release()} only need no
 * synchronization. The public methods are thread-safe.
 *
 * @param <T> the type of the elements
 */
public abstract class SerialSubscription<T> implements Subscription, Runnable {
  @SuppressWarnings("rawtypes") // an updater has the raw type
  private static final AtomicLongFieldUpdater<SerialSubscription> REQUESTED =
      AtomicLongFieldUpdater.newUpdater(SerialSubscription.class, "requested");

  @SuppressWarnings("rawtypes")
  private static final AtomicIntegerFieldUpdater<SerialSubscription> WORK =
      AtomicIntegerFieldUpdater.newUpdater(SerialSubscription.class, "work");

  @SuppressWarnings("rawtypes")
  private static final AtomicReferenceFieldUpdater<SerialSubscription, Object> END =
      AtomicReferenceFieldUpdater.newUpdater(SerialSubscription.class, Object.class, "end");

  private static final Object COMPLETION = "completion";
  private static final Object NOTHING = "nothing"; // no signal is left

  /** The subscriber. Signals must be emitted in {@link #step()} only. */
  protected final CoreSubscriber<? super T> subscriber;

  private final Executor executor;
  private volatile long requested;
  private volatile int work = 1; // until onSubscribe has returned
  private volatile @Nullable Object end; // the final signal: an error, COMPLETION or NOTHING

  /**
   * Creates a subscription.
   *
   * @param executor the executor of all steps and signals, which may run a task immediately
   */
  protected SerialSubscription(CoreSubscriber<? super T> subscriber, Executor executor) {
    this.subscriber = subscriber;
    this.executor = executor;
  }

  /** Passes the subscription to its subscriber and starts the work. Must be called once. */
  public final void subscribe() {
    subscriber.onSubscribe(this);
    if (WORK.decrementAndGet(this) != 0) {
      schedule();
    }
  }

  @Override
  public final void request(long n) {
    if (n <= 0) {
      fail(invalidRequest(n));
    } else {
      Operators.addCap(REQUESTED, this, n);
      wake();
    }
  }

  /** Returns the error for a request of less than one element. */
  public static IllegalArgumentException invalidRequest(long n) {
    return new IllegalArgumentException(
        "request: " + n + " (expected: >= 1, Reactive Streams rule 3.9)");
  }

  /** Cancels the subscription. If no step is running, {@link #release()} runs on this thread. */
  @Override
  public void cancel() {
    end = NOTHING;
    if (WORK.getAndIncrement(this) == 0) {
      endHere();
    }
  }

  /** Ends the subscription with an error, before anything else is emitted. */
  public final void fail(Throwable error) {
    END.compareAndSet(this, null, error);
    wake();
  }

  /** Completes the subscription, before anything else is emitted. */
  public final void complete() {
    END.compareAndSet(this, null, COMPLETION);
    wake();
  }

  /** Requests a step. */
  protected final void wake() {
    if (WORK.getAndIncrement(this) == 0) {
      schedule();
    }
  }

  /** Runs a step now, unless one is running. Must be called on a thread of the executor. */
  protected final void wakeHere() {
    if (WORK.getAndIncrement(this) == 0) {
      run();
    }
  }

  private void schedule() {
    try {
      executor.execute(this);
    } catch (RejectedExecutionException | KvException refusal) {
      END.compareAndSet(this, null, refusal);
      endHere();
    }
  }

  private void endHere() {
    int seen = work;
    do {
      var unused = hasEnded();
      seen = WORK.addAndGet(this, -seen);
    } while (seen != 0);
  }

  /** Runs steps. Must be called by the executor only. */
  @Override
  public final void run() {
    int seen = work;
    do {
      if (!hasEnded()) {
        step();
      }
      seen = WORK.addAndGet(this, -seen);
    } while (seen != 0 && (end != null || !yields()));
    if (seen != 0) {
      schedule();
    }
  }

  private boolean hasEnded() {
    Object due = end;
    if (due == null) {
      return false;
    }
    end = NOTHING;
    release();
    if (due == COMPLETION) {
      subscriber.onComplete();
    } else if (due instanceof Throwable error) {
      subscriber.onError(error);
    }
    return true;
  }

  /**
   * Emits the available elements, as far as requested, and arranges a wake for later ones. Not
   * called after the end.
   */
  protected abstract void step();

  /**
   * Releases all resources. Called before the last signal or after a cancellation, and again for
   * each wake after the end, so that late arrivals can be released too. Never runs during a step,
   * but possibly on the thread that cancels.
   */
  protected abstract void release();

  /**
   * Returns true if other tasks of the executor run between two steps. Otherwise a step that was
   * requested during another one follows at once.
   */
  protected boolean yields() {
    return true;
  }

  /**
   * Returns true if the subscription has ended or is about to end: nothing more must be emitted.
   */
  protected final boolean isEnding() {
    return end != null;
  }

  /** Returns the number of elements to emit, or {@code Long.MAX_VALUE} for all. */
  protected final long requested() {
    return requested;
  }

  /** Subtracts emitted elements from the demand. */
  protected final void produced(long elements) {
    Operators.produced(REQUESTED, this, elements);
  }

  /** Emits an element that was requested. Must be called in a step. */
  protected final void emit(T element) {
    Operators.produced(REQUESTED, this, 1);
    subscriber.onNext(element);
  }

  /**
   * Ends the subscription now. Must be called in a step, as its last action.
   *
   * @param error the error, or null to complete
   */
  protected final void terminate(@Nullable Throwable error) {
    END.compareAndSet(this, null, error == null ? COMPLETION : error);
    var unused = hasEnded();
  }
}
