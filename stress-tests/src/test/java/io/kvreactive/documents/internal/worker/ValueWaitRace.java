package io.kvreactive.documents.internal.worker;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.kvreactive.stress.Tasks;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;
import reactor.core.publisher.Sinks;

/** A task that waits for a value gets it, also if it arrives when the task gives its slot away. */
@JCStressTest
@Outcome(id = "1", expect = ACCEPTABLE, desc = "the task got the value")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "the task waits for ever")
@State
public class ValueWaitRace {

  private static final WorkerPool POOL = new WorkerPool("race", 2, 2_000_000, soon -> {});
  private static final WorkerPool.Lane LANE = POOL.database().lane();

  private final Sinks.One<Integer> sink = Sinks.one();
  private final Tasks done = new Tasks(1);
  private volatile int value;

  @Actor
  public void await() {
    POOL.execute(new Task(LANE, null, this::run));
  }

  private void run() {
    value = WorkerThread.await(sink.asMono());
    done.ended();
  }

  @Actor
  public void emit() {
    while (sink.currentSubscriberCount() == 0) {
      Thread.yield();
    }
    sink.tryEmitValue(1);
  }

  @Arbiter
  public void end(I_Result result) {
    result.r1 = done.lost() == 0 ? value : 0;
  }
}
