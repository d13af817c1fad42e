package io.kvreactive.index.internal.worker;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.NonBlocking;

/**
 * A thread of a {@link WorkerPool}. Work that may take long calls {@link #checkpoint} in each of
 * its loops, so that the thread yields when its slice of time is over.
 */
public final class WorkerThread extends Thread implements NonBlocking {
  /** Checkpoints for each look at the clock. */
  private static final int CLOCK_MASK = 15;

  /** Characters or bytes that take tenths of a millisecond. */
  private static final int MUCH = 64 << 10;

  private final WorkerPool pool;
  private @Nullable QueryJob job; // of the task that runs
  private long sliceStart; // 0: at the next look at the clock
  private int checkpoints;

  /** Guarded by the pool's lock when it is set; taken by this thread. */
  volatile WorkerPool.@Nullable Task assigned;

  /** Guarded by the pool's lock when it is set: whether a thread that has yielded may go on. */
  volatile boolean granted;

  /** The lane of the task that runs. */
  WorkerPool.@Nullable Lane lane;

  WorkerThread(WorkerPool pool, String name) {
    super(null, null, name);
    this.pool = pool;
    setDaemon(true);
  }

  /**
   * Yields the thread if its slice of time is over and other work waits; the call returns when it
   * is the caller's turn again. Does nothing on other threads. Must not be called with a lock held.
   *
   * @throws io.kvreactive.index.IndexException QUERY_BUDGET_EXCEEDED when the query that runs has
   *     used its time
   * @throws java.util.concurrent.CancellationException when the query that runs was cancelled
   */
  public static void checkpoint() {
    if (Thread.currentThread() instanceof WorkerThread worker
        && (++worker.checkpoints & CLOCK_MASK) == 0) {
      worker.lookAtClock();
    }
  }

  /**
   * Like {@link #checkpoint}, but looks at the clock at once if much was done since the last one.
   */
  public static void checkpointAfter(int length) {
    if (length > MUCH && Thread.currentThread() instanceof WorkerThread worker) {
      worker.lookAtClock();
    }
  }

  /**
   * Runs a call that may take long and has no checkpoints, without keeping other work from running.
   * On other threads, just runs it.
   *
   * @throws io.kvreactive.index.IndexException QUERY_BUDGET_EXCEEDED when the query that runs has
   *     used its time
   * @throws java.util.concurrent.CancellationException when the query that runs was cancelled
   */
  public static <T> T longCall(Supplier<T> call) {
    return Thread.currentThread() instanceof WorkerThread worker
        ? worker.outside(call)
        : call.get();
  }

  private <T> T outside(Supplier<T> call) {
    long now = System.nanoTime();
    QueryJob its = job;
    if (its != null && sliceStart != 0) {
      its.used(now - sliceStart);
      its.check();
    }
    pool.beginLongCall(this);
    long start = System.nanoTime();
    try {
      return call.get();
    } finally {
      if (its != null) {
        its.used(System.nanoTime() - start);
      }
      pool.endLongCall(this);
      sliceStart = System.nanoTime();
    }
  }

  private void lookAtClock() {
    long now = System.nanoTime();
    if (sliceStart == 0) {
      sliceStart = now;
    } else if (now - sliceStart >= pool.sliceNanos()) {
      endSlice(now);
    }
  }

  private void endSlice(long now) {
    QueryJob its = job;
    if (its != null) {
      its.used(now - sliceStart);
      sliceStart = now;
      its.check();
    }
    pool.yieldTurn(this);
    sliceStart = System.nanoTime();
  }

  @Override
  public void run() {
    pool.work(this);
  }

  void run(WorkerPool.Task task) {
    QueryJob its = task.job();
    job = its;
    lane = task.lane();
    sliceStart = its == null ? 0 : System.nanoTime();
    try {
      task.run();
    } catch (Throwable e) {
      getUncaughtExceptionHandler().uncaughtException(this, e);
    } finally {
      if (its != null) {
        its.used(System.nanoTime() - sliceStart);
      }
      job = null;
    }
  }
}
