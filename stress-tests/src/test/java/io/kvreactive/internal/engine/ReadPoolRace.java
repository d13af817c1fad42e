package io.kvreactive.internal.engine;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.kvreactive.stress.Tasks;
import java.util.concurrent.ThreadLocalRandom;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A read that is added while the thread of a {@link ReadPool} falls asleep is run. */
@JCStressTest
@Outcome(id = "0", expect = ACCEPTABLE, desc = "both reads ran")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "a read waits for ever")
@State
public class ReadPoolRace {

  private static final ReadPool POOL = new ReadPool("race", 1, soon -> {});

  private final Tasks reads = new Tasks(2);

  @Actor
  public void one() {
    execute();
  }

  @Actor
  public void other() {
    execute();
  }

  /** Adds a read after a random pause, in which the thread may fall asleep. */
  private void execute() {
    for (int i = ThreadLocalRandom.current().nextInt(300); i > 0; i--) {
      Thread.onSpinWait();
    }
    POOL.execute(reads::ended);
  }

  @Arbiter
  public void end(I_Result result) {
    result.r1 = reads.lost();
  }
}
