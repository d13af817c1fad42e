package io.kvreactive.web.internal.stream;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.kvreactive.web.internal.http.ByteBudget;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZJ_Result;

/** Two results that together exceed the memory of a connection are not both accepted. */
@JCStressTest
@Outcome(
    id = {"true, false, 60", "false, true, 60"},
    expect = ACCEPTABLE,
    desc = "one result was accepted")
@Outcome(
    id = ".*",
    expect = FORBIDDEN,
    desc = "the memory was exceeded, or one of the counters is wrong")
@State
public class SubscriptionMemoryRace {

  private final ByteBudget server = new ByteBudget("server", 1000);
  private final SubscriptionMemory memory = new SubscriptionMemory(100, server.share());

  @Actor
  public void one(ZZJ_Result result) {
    result.r1 = memory.take(60);
  }

  @Actor
  public void other(ZZJ_Result result) {
    result.r2 = memory.take(60);
  }

  @Arbiter
  public void end(ZZJ_Result result) {
    result.r3 = memory.read() == server.taken() ? server.taken() : -1;
  }
}
