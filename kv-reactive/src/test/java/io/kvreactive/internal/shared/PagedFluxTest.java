package io.kvreactive.internal.shared;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

/** The calls of a source of pages. */
class PagedFluxTest {
  /** Pages that another thread makes. The source must not be called meanwhile. */
  private static final class SlowPages implements PagedFlux.Pages<Integer> {
    private Sinks.One<List<Integer>> page = Sinks.one();
    private boolean isMaking;
    private boolean disturbed;
    private int made;

    @Override
    public Mono<List<Integer>> next(long wanted) {
      isMaking = true;
      page = Sinks.one();
      return page.asMono();
    }

    void make() {
      isMaking = false;
      made++;
      page.tryEmitValue(List.of(made)).orThrow();
    }

    @Override
    public boolean done() {
      disturbed |= isMaking;
      return made == 2;
    }

    @Override
    public boolean areMadeOnExecutor() {
      return true;
    }

    @Override
    public void close() {}
  }

  @Test
  void leavesTheSourceAloneWhileItMakesAPage() {
    SlowPages pages = new SlowPages();
    StepVerifier.create(new PagedFlux<>(Runnable::run, pages), 1)
        .thenRequest(1) // while the first page is made
        .then(pages::make)
        .expectNext(1)
        .thenRequest(1)
        .then(pages::make)
        .expectNext(2)
        .verifyComplete();
    assertThat(pages.disturbed).isFalse();
  }

  /** A page that ignores its cancellation, as a read that is running does. */
  private static final class FailingPages implements PagedFlux.Pages<Integer> {
    private @Nullable CoreSubscriber<? super List<Integer>> reader;

    @Override
    public Mono<List<Integer>> next(long wanted) {
      return new Mono<>() {
        @Override
        public void subscribe(CoreSubscriber<? super List<Integer>> actual) {
          reader = actual;
          actual.onSubscribe(Operators.emptySubscription());
        }
      };
    }

    @Override
    public boolean done() {
      return false;
    }

    @Override
    public void close() {}
  }

  @Test
  void ignoresTheFailureOfAPageAfterTheCancellation() {
    Queue<Throwable> dropped = new ConcurrentLinkedQueue<>();
    Hooks.onErrorDropped(dropped::add);
    try {
      FailingPages pages = new FailingPages();
      new PagedFlux<>(Runnable::run, pages).subscribe().dispose();
      requireNonNull(pages.reader).onError(new IllegalStateException("the snapshot is closed"));
      assertThat(dropped).isEmpty();
    } finally {
      Hooks.resetOnErrorDropped();
    }
  }

  @Test
  void ignoresTheFailureOfAReadAfterTheCancellation() {
    Queue<Throwable> dropped = new ConcurrentLinkedQueue<>();
    Hooks.onErrorDropped(dropped::add);
    try {
      FailingPages pages = new FailingPages();
      new SubscriberContext(Runnable::run).apply(pages.next(1)).subscribe().dispose();
      requireNonNull(pages.reader).onError(new IllegalStateException("the snapshot is closed"));
      assertThat(dropped).isEmpty();
    } finally {
      Hooks.resetOnErrorDropped();
    }
  }
}
