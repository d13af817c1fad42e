package io.kvreactive.internal.api;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.internal.reactive.SubscriberContext;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/**
 * Emits the elements of pages as demand asks for them. A page is read when the elements at hand do
 * not cover the demand, and is no larger than the demand (or {@value #LEAST}); so an unbounded
 * subscriber has one page read ahead of it, and one that stops asking costs at most two pages of
 * memory.
 *
 * @param <E> type of the elements
 */
public final class PagedFlux<E> extends Flux<E> {
  /** Elements of the smallest page: subscribers that ask one by one get a page now and then. */
  private static final int LEAST = 64;

  private final SubscriberContext subscriberContext;
  private final Pages<E> pages;

  /**
   * @param pages for one subscription: so a PagedFlux is subscribed to once
   */
  public PagedFlux(SubscriberContext subscriberContext, Pages<E> pages) {
    this.subscriberContext = subscriberContext;
    this.pages = pages;
  }

  @Override
  public void subscribe(CoreSubscriber<? super E> actual) {
    actual.onSubscribe(new Paging<>(actual, subscriberContext.forSubscriber(), pages));
  }

  /** All work is done on the subscriber's executor, by whoever raises {@link #work} from zero. */
  private static final class Paging<E> implements Subscription, Runnable {
    private final CoreSubscriber<? super E> actual;
    private final Executor executor;
    private final Pages<E> pages;
    private final AtomicLong demand = new AtomicLong();
    private final AtomicInteger work = new AtomicInteger();
    private final Disposable.Swap reading = Disposables.swap();
    private volatile boolean cancelled;
    private volatile @Nullable KvException invalidRequest;
    private volatile @Nullable Throwable failure;
    private volatile @Nullable List<E> arrived;

    // touched only inside the work loop
    private final Deque<E> ready = new ArrayDeque<>();
    private boolean fetching;
    private boolean ended;

    Paging(CoreSubscriber<? super E> actual, Executor executor, Pages<E> pages) {
      this.actual = actual;
      this.executor = executor;
      this.pages = pages;
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
      reading.dispose();
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
        executor.execute(this); // not a loop: a long list must let others use the event loop
      }
    }

    private void step() {
      List<E> page = arrived;
      if (page != null) {
        arrived = null;
        fetching = false;
        ready.addAll(page);
      }
      if (ended) {
        return;
      }
      if (cancelled) {
        end();
        return;
      }
      KvException invalid = invalidRequest;
      if (invalid != null) {
        end();
        actual.onError(invalid);
        return;
      }
      fetch(); // before emitting, so that the next page is read meanwhile
      emit();
      if (cancelled) {
        end();
        return;
      }
      Throwable failed = failure;
      if (ready.isEmpty() && failed != null) {
        end();
        actual.onError(failed);
      } else if (ready.isEmpty() && pages.done() && !fetching) {
        end();
        actual.onComplete();
      } else {
        fetch();
      }
    }

    private void emit() {
      long wanted = demand.get();
      long emitted = 0;
      while (emitted < wanted && !ready.isEmpty() && !cancelled) {
        actual.onNext(ready.poll());
        emitted++;
        if (emitted == wanted) {
          wanted = demand.get();
        }
      }
      if (emitted > 0 && wanted != Long.MAX_VALUE) {
        demand.addAndGet(-emitted);
      }
    }

    private void fetch() {
      long missing = demand.get() == Long.MAX_VALUE ? Long.MAX_VALUE : demand.get() - ready.size();
      if (fetching || missing <= 0 || pages.done() || failure != null || cancelled) {
        return;
      }
      fetching = true;
      reading.update(pages.next(Math.max(missing, LEAST)).subscribe(this::arrive, this::fail));
    }

    private void arrive(List<E> page) {
      arrived = page;
      wake();
    }

    private void fail(Throwable error) {
      failure = error;
      wake();
    }

    private void end() {
      ended = true;
      ready.clear();
      pages.close();
    }
  }
}
