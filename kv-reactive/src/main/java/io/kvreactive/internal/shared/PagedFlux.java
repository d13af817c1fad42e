package io.kvreactive.internal.shared;

import io.kvreactive.spi.SerialSubscription;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Emits the elements of pages, for one subscriber. A page is requested when the elements at hand do
 * not cover the demand. So for an unbounded subscriber at most one page is read ahead, and a
 * subscriber without demand costs at most two pages of memory.
 *
 * @param <E> the type of the elements
 */
public final class PagedFlux<E> extends Flux<E> {
  /** Minimum size of a page, so that single requests do not cost a page each. */
  private static final int MIN_PAGE = 64;

  private final Executor executor;
  private final Pages<E> pages;

  /**
   * The source of the pages. Calls of {@link #next} do not overlap: each follows the answer to the
   * previous one.
   *
   * @param <E> the type of the elements
   */
  public interface Pages<E> {
    /**
     * Emits the next page. A page that is available without waiting should be a {@link Mono} that
     * is a {@link Callable}, such as {@code Mono.just}, which costs no subscription.
     *
     * @param wanted the number of requested elements; a page may have more or fewer, or none
     */
    Mono<List<E>> next(long wanted);

    /**
     * Returns true if the last page has been emitted. Not called during a call of {@link #next}.
     */
    boolean done();

    /**
     * Returns true if pages are made on the executor that emits their elements. They are then not
     * read ahead, and no more elements are requested than the demand.
     */
    default boolean areMadeOnExecutor() {
      return false;
    }

    /** Makes the current call end soon. Thread-safe; may be called at any time. */
    default void cancel() {}

    /** Releases all resources after the subscription has ended. Thread-safe and idempotent. */
    void close();
  }

  /**
   * Creates a publisher for one subscriber.
   *
   * @param executor the executor that emits, which runs tasks in order
   */
  public PagedFlux(Executor executor, Pages<E> pages) {
    this.executor = executor;
    this.pages = pages;
  }

  @Override
  public void subscribe(CoreSubscriber<? super E> actual) {
    new PageSubscription<>(actual, executor, pages).subscribe();
  }

  private static final class PageSubscription<E> extends SerialSubscription<E> {
    private final Pages<E> pages;
    private final boolean readsAhead;
    private final Disposable.Swap reading = Disposables.swap();
    private volatile @Nullable List<E> arrived;
    private volatile @Nullable Throwable failure;

    // accessed in steps only
    private final ArrayDeque<E> ready = new ArrayDeque<>();
    private boolean fetching;

    PageSubscription(CoreSubscriber<? super E> subscriber, Executor executor, Pages<E> pages) {
      super(subscriber, executor);
      this.pages = pages;
      this.readsAhead = !pages.areMadeOnExecutor();
    }

    @Override
    public void cancel() {
      super.cancel(); // first: the end of the current call is then no failure
      reading.dispose();
      pages.cancel();
    }

    @Override
    protected boolean yields() {
      return readsAhead; // during a long list, other tasks of the event loop must run
    }

    @Override
    protected void step() {
      boolean isThere;
      do {
        List<E> page = arrived;
        if (page != null) {
          arrived = null;
          fetching = false;
          ready.addAll(page);
        }
        isThere = readsAhead && fetch(); // before emitting, so that the page is read meanwhile
        emitReady();
        Throwable failed = failure; // before the check for a cancellation, which may be its cause
        if (isEnding()) {
          return;
        }
        if (ready.isEmpty() && failed != null) {
          terminate(failed);
          return;
        }
        if (ready.isEmpty() && !fetching && pages.done()) {
          terminate(null);
          return;
        }
        isThere |= fetch();
      } while (isThere);
    }

    private void emitReady() {
      long wanted = requested();
      long emitted = 0;
      while (emitted < wanted && !ready.isEmpty() && !isEnding()) {
        subscriber.onNext(ready.poll());
        emitted++;
        if (emitted == wanted) {
          wanted = requested();
        }
      }
      if (emitted > 0 && wanted != Long.MAX_VALUE) {
        produced(emitted);
      }
    }

    /** Requests a page if necessary; returns true if the page, or its failure, is available. */
    private boolean fetch() {
      long requested = requested();
      long missing = requested == Long.MAX_VALUE ? requested : requested - ready.size();
      if (fetching || missing <= 0 || pages.done() || failure != null || isEnding()) {
        return false;
      }
      fetching = true;
      try {
        Mono<List<E>> page = pages.next(readsAhead ? Math.max(missing, MIN_PAGE) : missing);
        if (page instanceof Callable<?> known) {
          @SuppressWarnings("unchecked") // a Mono is a callable of its value
          List<E> value = (List<E>) known.call();
          arrived = value == null ? List.of() : value;
          return true;
        }
        reading.update(
            CancellableSubscriber.receive(
                page, this::arrive, this::failed, subscriber.currentContext()));
        return false;
      } catch (Throwable e) {
        Exceptions.throwIfFatal(e);
        failure = Exceptions.unwrap(e);
        return true;
      }
    }

    private void arrive(List<E> page) {
      arrived = page;
      if (readsAhead) {
        wake();
      } else {
        wakeHere();
      }
    }

    private void failed(Throwable error) {
      failure = error;
      wake();
    }

    @Override
    protected void release() {
      reading.dispose();
      arrived = null;
      ready.clear();
      pages.close();
    }
  }
}
