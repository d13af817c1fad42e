package io.kvreactive.documents.internal.worker;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.kvreactive.documents.DocumentThreads;
import io.kvreactive.stress.Tasks;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/** The cancellation of a {@link QueryJob} ends its wait for a read. */
@JCStressTest
@Outcome(id = "true", expect = ACCEPTABLE, desc = "the wait has ended")
@Outcome(id = ".*", expect = FORBIDDEN, desc = "the task waits for ever")
@State
public class JobCancelRace {

  private static final Workers.Share WORKERS = new Workers(DocumentThreads.Limits.NONE).share();

  private final QueryJob job = WORKERS.query(null, Duration.ofMinutes(1), Context.empty());
  private final Tasks done = new Tasks(1);
  private volatile boolean begun;
  private volatile boolean cancelled;

  @Actor
  public void await() {
    job.scheduler().schedule(this::run);
  }

  private void run() {
    try {
      WorkerThread.await(Mono.never().doOnSubscribe(subscription -> begun = true));
    } catch (CancellationException e) {
      cancelled = true;
    } finally {
      done.ended();
    }
  }

  @Actor
  public void cancel() {
    while (!begun) {
      Thread.yield();
    }
    job.cancel();
  }

  @Arbiter
  public void end(Z_Result result) {
    result.r1 = done.lost() == 0 && cancelled;
    job.close();
  }
}
