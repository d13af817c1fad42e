package io.kvreactive.internal.shared;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.kvreactive.stress.Signals;
import io.kvreactive.stress.Source;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JI_Result;
import reactor.core.publisher.Flux;

/**
 * The operator that passes elements to a context requests exactly what its subscriber has
 * requested, and delivers it.
 */
@JCStressTest
@Outcome(id = "6, 6", expect = ACCEPTABLE, desc = "all elements were requested once and delivered")
@Outcome(
    id = ".*",
    expect = FORBIDDEN,
    desc = "an element was not requested, or was requested without demand")
@State
public class HopDemandRace {

  private final Source<Weighted<Integer>> source = new Source<>();
  private final Signals<Integer> signals = new Signals<>();

  public HopDemandRace() {
    new SubscriberContext(Runnable::run).applyInBatches(Flux.from(source)).subscribe(signals);
    signals.request(1);
  }

  @Actor
  public void request() {
    for (int i = 0; i < 5; i++) {
      signals.request(1);
    }
  }

  @Actor
  public void emit() {
    emitAll();
  }

  private void emitAll() {
    while (source.emitted() < source.requested()) {
      source.emit(new Weighted<>(1, 1));
    }
  }

  @Arbiter
  public void end(JI_Result result) {
    emitAll();
    result.r1 = source.requested();
    result.r2 = signals.elements;
  }
}
