package io.kvreactive.internal.engine;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.kvreactive.KvLimits;
import io.kvreactive.internal.store.Store;
import io.kvreactive.internal.store.StoreOptions;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A commit that arrives while the store closes is answered once. */
@JCStressTest
@Outcome(id = "1, 0, 1", expect = ACCEPTABLE, desc = "committed")
@Outcome(id = "0, 1, 1", expect = ACCEPTABLE, desc = "rejected, because the store is closed")
@Outcome(
    id = ".*",
    expect = FORBIDDEN,
    desc = "not answered, answered twice, or the store was not closed")
@State
public class CommitQueueRace {

  private static final Store STORE = Store.open(StoreOptions.of(null, true, 1 << 20), () -> {});

  private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final CommitQueue queue =
      new CommitQueue(
          STORE, this::execute, published -> {}, 1000, 1 << 20, KvLimits.DEFAULT.maxCommitWork());
  private int committed;
  private int rejected;
  private volatile int closed;

  @Actor
  public void commit() {
    queue.submitOwn(store -> 1).subscribe(one -> committed++, error -> rejected++);
  }

  @Actor
  public void close() {
    queue.close(() -> closed = 1);
    runAll();
  }

  private void execute(Runnable task) {
    if (closed == 0) { // later, the store thread has ended
      tasks.add(task);
    }
  }

  private void runAll() {
    Runnable task;
    while ((task = tasks.poll()) != null) {
      task.run();
    }
  }

  @Arbiter
  public void end(III_Result result) {
    runAll();
    result.r1 = committed;
    result.r2 = rejected;
    result.r3 = closed;
  }
}
