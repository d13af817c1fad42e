package io.kvreactive.internal.shared;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.kvreactive.stress.Signals;
import io.kvreactive.stress.Source;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import reactor.core.publisher.Mono;

/**
 * A {@link PagedFlux} emits all elements of a page that arrives while its subscriber requests more,
 * and completes.
 */
@JCStressTest
@Outcome(id = "2, 1, 1", expect = ACCEPTABLE, desc = "the page was emitted, and was the last")
@Outcome(
    id = ".*",
    expect = FORBIDDEN,
    desc = "elements or the end are missing, or a page is read twice")
@State
public class PageArrivalRace {
  private final Source<List<Integer>> page = new Source<>();
  private final Signals<Integer> signals = new Signals<>();
  private volatile int calls;

  private final class OnePage implements PagedFlux.Pages<Integer> {
    @Override
    public Mono<List<Integer>> next(long wanted) {
      calls = calls + 1; // calls do not overlap
      return Mono.fromDirect(page);
    }

    @Override
    public boolean done() {
      return calls > 0;
    }

    @Override
    public void close() {}
  }

  public PageArrivalRace() {
    new PagedFlux<>(Runnable::run, new OnePage()).subscribe(signals);
    signals.request(1);
  }

  @Actor
  public void arrive() {
    page.emit(List.of(1, 2));
  }

  @Actor
  public void request() {
    signals.request(1);
  }

  @Arbiter
  public void end(III_Result result) {
    result.r1 = signals.elements;
    result.r2 = signals.completions;
    result.r3 = calls;
  }
}
