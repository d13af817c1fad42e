package io.kvreactive.spi;

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
 * not cover the demand. So an unbounded subscriber has at most one page read ahead of it, and one
 * that stops requesting costs at most two pages of memory.
 *
 * @param <E> the type of the elements
 */
public final class PagedFlux<E> extends Flux<E> {
  /** Size of the smallest page, so that not each of single requests costs a page. */
  private static final int MIN_PAGE = 64;

  private final Executor executor;
  private final Pages<E> pages;

  /**
   * The source of the pages. Calls of {@link #next} follow each other: the next one is made when
   * the last has been answered.
   *
   * @param <E> the type of the elements
   */
  public interface Pages<E> {
    /**
     * Emits the next page. A page that is known without waiting is best a {@link Mono} that is a
     * {@link Callable}, such as {@code Mono.just}: it costs no subscription.
     *
     * @param wanted the number of elements that are wanted; a page may have more or fewer, or none
     */
    Mono<List<E>> next(long wanted);

    /** Returns true if the last page has been emitted. */
    boolean done();

    /**
     * Returns true if pages are made on the executor that emits their elements. They are then not
     * read ahead, and are wanted no larger than the demand.
     */
    default boolean areMadeOnExecutor() {
      return false;
    }

    /** Makes the current call end soon. Thread-safe, and called at any time. */
    default void cancel() {}

    /** Releases what is held, when the subscription has ended. Thread-safe and idempotent. */
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
      super.cancel(); // first: the end of the current call is no failure then
      reading.dispose();
      pages.cancel();
    }

    @Override
    protected boolean yields() {
      return readsAhead; // a long list must let others use the event loop
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
        isThere = readsAhead && fetch(); // before emitting, so that it is read meanwhile
        emitReady();
        Throwable failed = failure; // before the look at a cancellation, which may be its cause
        if (isEnding()) {
          return;
        }
        if (ready.isEmpty() && failed != null) {
          terminate(failed);
          return;
        }
        if (ready.isEmpty() && pages.done() && !fetching) {
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

    /** Requests a page if it is needed; returns true if the page, or its failure, is there. */
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
            page.subscribe(this::arrive, this::failed, null, subscriber.currentContext()));
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
