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

/** Steps of a {@link SerialSubscription} do not overlap, and each request is followed by one. */
@JCStressTest
@Outcome(id = "3, 0", expect = ACCEPTABLE, desc = "all requested elements were emitted")
@Outcome(
    id = ".*",
    expect = FORBIDDEN,
    desc = "elements are missing or surplus, or steps overlapped")
@State
public class StepRace {

  private final Signals<Integer> signals = new Signals<>();
  private final Counting subscription = new Counting(signals);

  private static final class Counting extends SerialSubscription<Integer> {
    private boolean steps;
    private int overlaps;

    Counting(Signals<Integer> signals) {
      super(signals, Runnable::run);
    }

    @Override
    protected void step() {
      overlaps += steps ? 1 : 0;
      steps = true;
      while (requested() > 0) {
        emit(1);
      }
      steps = false;
    }

    @Override
    protected void release() {}
  }

  public StepRace() {
    subscription.subscribe();
  }

  @Actor
  public void one() {
    subscription.request(1);
  }

  @Actor
  public void two() {
    subscription.request(2);
  }

  @Arbiter
  public void end(II_Result result) {
    result.r1 = signals.elements;
    result.r2 = subscription.overlaps;
  }
}
