package io.kvreactive.web.internal.http;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IJ_Result;

/** Bytes that are returned to a {@link ByteBudget} while a share begins to wait are given to it. */
@JCStressTest
@Outcome(id = "1, 60", expect = ACCEPTABLE, desc = "the share got its bytes")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "the share waits, although its bytes are free")
@State
public class ReturnedBytesRace {

  private final ByteBudget all = new ByteBudget("all", 100);
  private final ByteBudget.Share held = all.part("one", 100).share();
  private final ByteBudget.Share waiting = all.part("other", 100).share();
  private int granted;

  public ReturnedBytesRace() {
    held.take(60);
  }

  @Actor
  public void release() {
    held.release();
  }

  @Actor
  public void await() {
    waiting.takeWhenFree(60, () -> granted++);
  }

  @Arbiter
  public void end(IJ_Result result) {
    result.r1 = granted;
    result.r2 = all.taken();
  }
}
