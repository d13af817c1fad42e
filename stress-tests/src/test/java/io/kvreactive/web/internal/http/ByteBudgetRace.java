package io.kvreactive.web.internal.http;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZJ_Result;

/** Two shares that together exceed a {@link ByteBudget} do not both get their bytes. */
@JCStressTest
@Outcome(
    id = {"true, false, 60", "false, true, 60"},
    expect = ACCEPTABLE,
    desc = "one share got its bytes")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "the budget was exceeded, or refused both")
@State
public class ByteBudgetRace {

  private final ByteBudget all = new ByteBudget("all", 100);
  private final ByteBudget.Share one = all.part("one", 80).share();
  private final ByteBudget.Share other = all.part("other", 80).share();

  @Actor
  public void one(ZZJ_Result result) {
    result.r1 = one.tryTake(60);
  }

  @Actor
  public void other(ZZJ_Result result) {
    result.r2 = other.tryTake(60);
  }

  @Arbiter
  public void end(ZZJ_Result result) {
    result.r3 = all.taken();
  }
}
