package io.kvreactive.documents.internal.collection;

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

/** A {@link DemandGate} passes all requests, and no more, once it is open. */
@JCStressTest
@Outcome(id = "3, 0", expect = ACCEPTABLE, desc = "all requests were passed")
@Outcome(
    id = ".*",
    expect = FORBIDDEN,
    desc = "requests were lost or repeated, or the source was cancelled")
@State
public class DemandGateRace {

  private final Source<Integer> source = new Source<>();
  private final Signals<Integer> signals = new Signals<>();

  public DemandGateRace() {
    DemandGate.apply(Flux.from(source), gated -> gated).subscribe(signals);
  }

  @Actor
  public void one() {
    signals.request(1);
  }

  @Actor
  public void two() {
    signals.request(2);
  }

  @Arbiter
  public void end(JI_Result result) {
    result.r1 = source.requested();
    result.r2 = source.cancellations();
  }
}
