package io.kvreactive.internal.shared;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.kvreactive.stress.Source;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/**
 * A {@link CancellableSubscriber} that is disposed of while it gets its subscription cancels it.
 */
@JCStressTest
@Outcome(id = "true", expect = ACCEPTABLE, desc = "cancelled")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "the subscription goes on")
@State
public class LateSubscriptionRace {

  private final Source<Integer> source = new Source<>();
  private final Receiving receiver = new Receiving();

  private static final class Receiving extends CancellableSubscriber<Integer> {
    @Override
    protected void subscribed() {
      request(1);
    }

    @Override
    protected void received(Integer element) {}

    @Override
    protected void failed(Throwable failure) {}

    @Override
    protected void completed() {}
  }

  @Actor
  public void subscribe() {
    source.subscribe(receiver);
  }

  @Actor
  public void dispose() {
    receiver.dispose();
  }

  @Arbiter
  public void end(Z_Result result) {
    result.r1 = source.cancellations() > 0 && receiver.isDisposed();
  }
}
