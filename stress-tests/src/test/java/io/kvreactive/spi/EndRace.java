package io.kvreactive.spi;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.kvreactive.stress.Signals;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A {@link SerialSubscription} ends once, by a failure or by its completion. */
@JCStressTest
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "completed")
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "failed")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "ended twice or not at all")
@State
public class EndRace {

  private static final Throwable FAILURE = new IllegalStateException("the failure of the race");

  private final Signals<Integer> signals = new Signals<>();
  private final Idle subscription = new Idle(signals);

  private static final class Idle extends SerialSubscription<Integer> {
    Idle(Signals<Integer> signals) {
      super(signals, Runnable::run);
    }

    @Override
    protected void step() {}

    @Override
    protected void release() {}
  }

  public EndRace() {
    subscription.subscribe();
  }

  @Actor
  public void complete() {
    subscription.complete();
  }

  @Actor
  public void fail() {
    subscription.fail(FAILURE);
  }

  @Arbiter
  public void end(II_Result result) {
    result.r1 = signals.completions;
    result.r2 = signals.errors;
  }
}
