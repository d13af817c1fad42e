package io.kvreactive.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
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
}
