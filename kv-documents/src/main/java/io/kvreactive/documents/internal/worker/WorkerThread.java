package io.kvreactive.documents.internal.worker;

import io.kvreactive.internal.shared.SpinWait;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.NonBlocking;

/**
 * A thread of a {@link WorkerPool}. Long work must call {@link #checkpoint} in each of its loops,
 * so that the thread yields when its time slice is over.
 */
public final class WorkerThread extends Thread implements NonBlocking {
  /** Mask of the checkpoints that read the clock: one in 16. */
  private static final int CLOCK_MASK = 15;

  /** Number of characters or bytes whose processing takes tenths of a millisecond. */
  private static final int MUCH_WORK = 64 << 10;

  private final WorkerPool pool;

  /** The wait of this thread for its next task. */
  final SpinWait spinWait = new SpinWait();

  /** The wait of a task of this thread for a value. */
  final SpinWait valueWait = new SpinWait();

  private @Nullable QueryJob job; // the job of the running task
  private long sliceStart; // 0: set when the clock is read next
  private int checkpoints;
  private long outsideSince; // when the time of the running long call was counted last; 0: none

  /** The task assigned to this thread. Set under the pool's lock; taken by this thread. */
  volatile @Nullable Task assigned;

  /** True if a thread that has yielded may resume. Set under the pool's lock. */
  volatile boolean granted;

  /** The task that runs after the current one. Guarded by the pool's lock. */
  @Nullable Task following;

  /** The lane of the running task. */
  WorkerPool.@Nullable Lane lane;

  WorkerThread(WorkerPool pool, String name) {
    super(null, null, name);
    this.pool = pool;
    setDaemon(true);
  }

  /** Returns true if the running task has used little time. */
  boolean isNew() {
    return job == null || job.isNew();
  }

  /** Returns true for a thread of the given pool. */
  boolean isOf(WorkerPool other) {
    return pool == other;
  }

  /**
   * Yields the thread if its time slice is over and other work waits. The call returns at the
   * thread's next turn. Within a long call, which has no slice, it only counts the time. Does
   * nothing on other threads. Must not be called with a lock held.
   *
   * @throws io.kvreactive.documents.DocumentException QUERY_BUDGET_EXCEEDED if the running query
   *     has used its time
   * @throws java.util.concurrent.CancellationException if the running query was cancelled
   */
  public static void checkpoint() {
    if (Thread.currentThread() instanceof WorkerThread worker
        && (++worker.checkpoints & CLOCK_MASK) == 0) {
      worker.lookAtClock();
    }
  }

  /**
   * Yields like {@link #checkpoint}, but reads the clock at once if much work was done since the
   * last checkpoint.
   *
   * @param length the number of characters or bytes processed since the last checkpoint
   */
  public static void checkpointAfter(int length) {
    if (length > MUCH_WORK && Thread.currentThread() instanceof WorkerThread worker) {
      worker.lookAtClock();
    }
  }

  /**
   * Runs a call that may take long and cannot yield, without keeping other work from running. On
   * other threads, just runs it.
   *
   * @throws io.kvreactive.documents.DocumentException QUERY_BUDGET_EXCEEDED when the query that
   *     runs has used its time
   * @throws java.util.concurrent.CancellationException when the query that runs was cancelled
   */
  public static <T> T longCall(Supplier<T> call) {
    return Thread.currentThread() instanceof WorkerThread worker
        ? worker.outside(call)
        : call.get();
  }

  /**
   * Waits for the value of a publisher. Other work uses the slot of the thread meanwhile. Must be
   * called on a thread of a pool, and not within a long call.
   *
   * @param source the publisher, which does not complete without a value
   * @throws io.kvreactive.documents.DocumentException QUERY_BUDGET_EXCEEDED if the running query
   *     has used its time
   * @throws java.util.concurrent.CancellationException if the running query is cancelled
   */
  public static <T> T await(Mono<T> source) {
    if (Thread.currentThread() instanceof WorkerThread worker && worker.outsideSince == 0) {
      return Objects.requireNonNull(worker.awaitValue(source), "no value");
    }
    throw new IllegalStateException("a wait on " + Thread.currentThread() + " (expected: a slot)");
  }

  private <T> @Nullable T awaitValue(Mono<T> source) {
    QueryJob running = job;
    if (running != null) {
      long now = System.nanoTime();
      running.used(now - sliceStart);
      sliceStart = now;
      running.check();
    }
    ValueWait<T> wait = new ValueWait<>(running);
    source.subscribe(wait);
    if (!wait.isOver()) {
      if (running != null) {
        running.setWaiter(this);
      }
      passFollowing();
      pool.await(this, wait::isOver);
      if (running != null) {
        running.setWaiter(null);
      }
      sliceStart = System.nanoTime();
    }
    return wait.result();
  }

  private <T> T outside(Supplier<T> call) {
    if (outsideSince != 0) {
      return call.get(); // a part of another long call
    }
    long now = System.nanoTime();
    QueryJob running = job;
    if (running != null && sliceStart != 0) {
      running.used(now - sliceStart);
      running.check();
    }
    passFollowing();
    pool.beginLongCall(this);
    outsideSince = System.nanoTime();
    try {
      return call.get();
    } finally {
      if (running != null) {
        running.used(System.nanoTime() - outsideSince);
      }
      outsideSince = 0;
      pool.endLongCall(this);
      sliceStart = System.nanoTime();
    }
  }

  /** Lets another thread run the task that waits for the current one. */
  private void passFollowing() {
    if (following != null) { // read without the lock: only this thread sets it
      pool.passFollowing(this);
    }
  }

  private void lookAtClock() {
    if (outsideSince != 0) {
      countOutside();
      return;
    }
    passFollowing();
    long now = System.nanoTime();
    if (sliceStart == 0) {
      sliceStart = now;
    } else if (now - sliceStart >= pool.sliceNanos()) {
      endSlice(now);
    }
  }

  private void countOutside() {
    QueryJob running = job;
    if (running != null) {
      long now = System.nanoTime();
      running.used(now - outsideSince);
      outsideSince = now;
      running.check();
    }
  }

  private void endSlice(long now) {
    QueryJob running = job;
    if (running != null) {
      running.used(now - sliceStart);
      sliceStart = now;
      running.check();
    }
    pool.yieldTurn(this);
    sliceStart = System.nanoTime();
  }

  @Override
  public void run() {
    pool.work(this);
  }

  void run(Task task) {
    QueryJob running = task.job();
    job = running;
    lane = task.lane();
    sliceStart = running == null ? 0 : System.nanoTime();
    try {
      task.run();
    } catch (Throwable e) {
      getUncaughtExceptionHandler().uncaughtException(this, e);
    } finally {
      if (running != null) {
        running.used(System.nanoTime() - sliceStart);
      }
      job = null;
    }
  }
}
