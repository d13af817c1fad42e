package io.kvreactive.internal.engine.queue;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.kvreactive.spi.LeasedMessage;
import io.kvreactive.stress.Signals;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Messages that are leased for a {@link Claim} are either delivered or returned. */
@JCStressTest
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "delivered")
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "given up")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "both, or neither")
@State
public class ClaimRace {

  private final Signals<List<LeasedMessage>> signals = new Signals<>();
  private int returned;
  private final Claim claim =
      new Claim("queue", 1, 1000, signals, started -> {}, ended -> returned++);

  public ClaimRace() {
    claim.request(1);
  }

  @Actor
  public void deliver(II_Result result) {
    result.r1 = claim.deliver(List.of()) ? signals.elements : 0;
  }

  @Actor
  public void cancel(II_Result result) {
    claim.cancel();
    result.r2 = returned;
  }
}
