package io.kvreactive.spi;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.kvreactive.stress.Signals;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A {@link SerialSubscription} that is cancelled releases its resources, and not during a step. */
@JCStressTest
@Outcome(
    id = {"0, 1, 0", "1, 1, 0"},
    expect = ACCEPTABLE,
    desc = "released after the step, or instead of it")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "not released, or released during a step")
@State
public class CancelRace {

  private final Signals<Integer> signals = new Signals<>();
  private final Holding subscription = new Holding(signals);

  private static final class Holding extends SerialSubscription<Integer> {
    private boolean holds;
    private int released;
    private int overlaps;

    Holding(Signals<Integer> signals) {
      super(signals, Runnable::run);
    }

    @Override
    protected void step() {
      holds = true;
      if (requested() > 0) {
        emit(1);
      }
      holds = false;
    }

    @Override
    protected void release() {
      overlaps += holds ? 1 : 0;
      released = 1;
    }
  }

  public CancelRace() {
    subscription.subscribe();
  }

  @Actor
  public void request() {
    subscription.request(1);
  }

  @Actor
  public void cancel() {
    subscription.cancel();
  }

  @Arbiter
  public void end(III_Result result) {
    result.r1 = signals.elements;
    result.r2 = subscription.released;
    result.r3 = subscription.overlaps;
  }
}
