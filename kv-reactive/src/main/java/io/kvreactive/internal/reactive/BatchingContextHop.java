package io.kvreactive.internal.reactive;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxOperator;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Hands elements to an executor that runs tasks in order, many in one task. It never asks for more
 * than its subscriber has asked for, nor while {@value #MAX_AHEAD} elements, or {@value
 * #MAX_BYTES_AHEAD} bytes of them, wait to be delivered. How much an element takes is known when it
 * is there; so they are asked for one by one. For sequences where each element counts and there may
 * be many.
 */
final class BatchingContextHop<T> extends FluxOperator<Weighted<T>, T> {
  static final int MAX_AHEAD = 128;
  static final long MAX_BYTES_AHEAD = 1 << 20;

  private final SubscriberContext subscriberContext;

  BatchingContextHop(Flux<Weighted<T>> source, SubscriberContext subscriberContext) {
    super(source);
    this.subscriberContext = subscriberContext;
  }

  @Override
  public void subscribe(CoreSubscriber<? super T> actual) {
    source.subscribe(new Batches<>(actual, subscriberContext.forSubscriber()));
  }

  /** All signals are made on the executor, by whoever raises {@link #work} from zero. */
  private static final class Batches<T>
      implements CoreSubscriber<Weighted<T>>, Subscription, Runnable {
    private final CoreSubscriber<? super T> actual;
    private final Executor executor;
    private final ConcurrentLinkedQueue<Weighted<T>> arrived = new ConcurrentLinkedQueue<>();
    private final AtomicLong demand = new AtomicLong();
    private final AtomicInteger work = new AtomicInteger();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicLong waitingBytes = new AtomicLong();
    private final AtomicBoolean asked = new AtomicBoolean(); // for one that has not come yet
    private volatile Subscription upstream = Operators.cancelledSubscription();
    private volatile boolean cancelled;
    private volatile boolean ended; // after the last element that arrived
    private volatile @Nullable Throwable failure;
    private volatile @Nullable KvException invalidRequest;

    private volatile boolean done; // written inside the work loop

    Batches(CoreSubscriber<? super T> actual, Executor executor) {
      this.actual = actual;
      this.executor = executor;
    }

    @Override
    public Context currentContext() {
      return actual.currentContext();
    }

    @Override
    public void onSubscribe(Subscription s) {
      upstream = s;
      actual.onSubscribe(this);
    }

    @Override
    public void request(long n) {
      if (n <= 0) {
        invalidRequest =
            new KvException(
                KvErrorCode.INVALID_ARGUMENT,
                "request: " + n + " (expected: >= 1, Reactive Streams rule 3.9)");
      } else {
        demand.accumulateAndGet(n, Operators::addCap);
      }
      wake();
    }

    @Override
    public void cancel() {
      cancelled = true;
      upstream.cancel();
      wake();
    }

    @Override
    public void onNext(Weighted<T> element) {
      waitingBytes.addAndGet(element.bytes());
      waiting.incrementAndGet();
      arrived.add(element);
      asked.set(false);
      wake();
      ask();
    }

    @Override
    public void onError(Throwable error) {
      failure = error;
      ended = true;
      wake();
    }

    @Override
    public void onComplete() {
      ended = true;
      wake();
    }

    private void wake() {
      if (work.getAndIncrement() == 0) {
        executor.execute(this);
      }
    }

    @Override
    public void run() {
      int seen = work.get();
      step();
      if (work.addAndGet(-seen) != 0) {
        executor.execute(this); // not a loop: others must use the event loop too
      }
    }

    private void step() {
      KvException invalid = invalidRequest;
      if (!done && !cancelled && invalid != null) {
        done = true;
        upstream.cancel();
        actual.onError(invalid);
      }
      if (!done && !cancelled) {
        boolean last = ended; // before the queue is looked at
        deliver();
        if (last && arrived.isEmpty() && !cancelled) {
          end();
        } else {
          ask();
        }
      }
      if (done || cancelled) {
        arrived.forEach(each -> Operators.onDiscard(each.element(), actual.currentContext()));
        arrived.clear();
      }
    }

    private void deliver() {
      Weighted<T> next;
      while (!cancelled && (next = arrived.poll()) != null) {
        if (demand.get() != Long.MAX_VALUE) {
          demand.decrementAndGet(); // first: else there seems to be room for one more
        }
        waiting.decrementAndGet();
        waitingBytes.addAndGet(-next.bytes());
        actual.onNext(next.element());
      }
    }

    private void end() {
      done = true;
      Throwable failed = failure;
      if (failed == null) {
        actual.onComplete();
      } else {
        actual.onError(failed);
      }
    }

    /** Any thread; one at a time gets past the condition, until what it asked for has come. */
    private void ask() {
      while (hasRoom() && asked.compareAndSet(false, true)) {
        if (hasRoom()) { // still: from here on no other element comes
          upstream.request(1);
          return;
        }
        asked.set(false);
      }
    }

    private boolean hasRoom() {
      return !cancelled
          && !done
          && !ended
          && waiting.get() < Math.min(demand.get(), MAX_AHEAD)
          && waitingBytes.get() < MAX_BYTES_AHEAD;
    }
  }
}
