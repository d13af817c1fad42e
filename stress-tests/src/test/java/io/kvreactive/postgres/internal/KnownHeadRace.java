package io.kvreactive.postgres.internal;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.UUID;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** The newest version of a {@link KnownHead} never goes back. */
@JCStressTest
@Outcome(
    id = {"0, 2", "1, 2", "2, 2"},
    expect = ACCEPTABLE,
    desc = "a version that was seen")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "an older version was noted after a newer one")
@State
public class KnownHeadRace {

  private static final UUID HISTORY = new UUID(0, 1);

  private final KnownHead head = new KnownHead(HISTORY, 0);

  @Actor
  public void seeOlder(JJ_Result result) {
    result.r1 = head.newest();
    head.see(1);
  }

  @Actor
  public void seeNewer() {
    head.see(2);
  }

  @Arbiter
  public void end(JJ_Result result) {
    result.r2 = head.newest();
  }
}
