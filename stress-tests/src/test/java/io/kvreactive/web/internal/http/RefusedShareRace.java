package io.kvreactive.web.internal.http;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IJ_Result;

/**
 * A share that begins to wait gets free bytes, also if another one of the same part is refused at
 * that moment.
 */
@JCStressTest
@Outcome(id = "1, 60", expect = ACCEPTABLE, desc = "the share got its bytes")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "the share waits, although its bytes are free")
@State
public class RefusedShareRace {

  private final ByteBudget all = new ByteBudget("all", 100);
  private final ByteBudget part = all.part("part", 60);
  private final ByteBudget.Share large = part.share();
  private final ByteBudget.Share small = part.share();
  private int granted;

  public RefusedShareRace() {
    all.share().take(50);
  }

  @Actor
  public void refuse() {
    for (int i = 0; i < 20; i++) {
      large.tryTake(60);
    }
  }

  @Actor
  public void await() {
    small.takeWhenFree(10, () -> granted++);
  }

  @Arbiter
  public void end(IJ_Result result) {
    result.r1 = granted;
    result.r2 = all.taken();
  }
}
