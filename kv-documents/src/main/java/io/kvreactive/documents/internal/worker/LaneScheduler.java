package io.kvreactive.documents.internal.worker;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.Exceptions;
import reactor.core.scheduler.Scheduler;

/**
 * A scheduler for the work of one caller in one database. Tasks may run concurrently, as in any
 * pool; Reactor's operators serialize their own tasks.
 */
final class LaneScheduler implements Scheduler {
  private final WorkerPool.Lane lane;
  private final @Nullable QueryJob job;
  private final Workers workers;

  LaneScheduler(WorkerPool.Lane lane, @Nullable QueryJob job, Workers workers) {
    this.lane = lane;
    this.job = job;
    this.workers = workers;
  }

  @Override
  public Disposable schedule(Runnable work) {
    Task task = new Task(lane, job, work);
    lane.database().pool().execute(task);
    return task;
  }

  @Override
  public Disposable schedule(Runnable work, long delay, TimeUnit unit) {
    if (delay <= 0) {
      return schedule(work);
    }
    Task task = new Task(lane, job, work);
    Disposable timer = workers.after(() -> lane.database().pool().execute(task), delay, unit);
    return Disposables.composite(timer, task);
  }

  @Override
  public Worker createWorker() {
    return new LaneWorker();
  }

  private final class LaneWorker implements Worker {
    private volatile boolean disposed;

    @Override
    public Disposable schedule(Runnable work) {
      return schedule(work, 0, TimeUnit.NANOSECONDS);
    }

    @Override
    public Disposable schedule(Runnable work, long delay, TimeUnit unit) {
      if (disposed) {
        throw Exceptions.failWithRejected();
      }
      return LaneScheduler.this.schedule(
          () -> {
            if (!disposed) {
              work.run();
            }
          },
          delay,
          unit);
    }

    @Override
    public void dispose() {
      disposed = true;
    }

    @Override
    public boolean isDisposed() {
      return disposed;
    }
  }
}
