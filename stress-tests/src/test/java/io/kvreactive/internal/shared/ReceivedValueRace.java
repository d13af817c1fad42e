package io.kvreactive.internal.shared;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.kvreactive.stress.Source;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/**
 * A value is either received or its subscription is cancelled, if {@link CancellableSubscriber} is
 * disposed of while the value arrives.
 */
@JCStressTest
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "the value came first")
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "the cancellation came first")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "both, or neither")
@State
public class ReceivedValueRace {

  private final Source<Integer> source = new Source<>();
  private int received;
  private final Disposable subscription =
      CancellableSubscriber.receive(Mono.fromDirect(source), value -> received++, failure -> {});

  @Actor
  public void value() {
    source.subscriber().onNext(1);
  }

  @Actor
  public void dispose() {
    subscription.dispose();
  }

  @Arbiter
  public void end(II_Result result) {
    result.r1 = received;
    result.r2 = source.cancellations();
  }
}
