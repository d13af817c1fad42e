package io.kvreactive.documents.internal.worker;

import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/** A piece of work, which does nothing after it is disposed. */
final class Task implements Runnable, Disposable {
  private final WorkerPool.Lane lane;
  private final @Nullable QueryJob job;
  private volatile @Nullable Runnable work;

  Task(WorkerPool.Lane lane, @Nullable QueryJob job, Runnable work) {
    this.lane = lane;
    this.job = job;
    this.work = work;
  }

  WorkerPool.Lane lane() {
    return lane;
  }

  @Nullable QueryJob job() {
    return job;
  }

  /** Returns true if the task has used little time so far. */
  boolean isNew() {
    return job == null || job.isNew();
  }

  @Override
  public void run() {
    Runnable todo = work;
    if (todo != null) {
      work = null;
      todo.run();
    }
  }

  @Override
  public void dispose() {
    work = null;
  }

  @Override
  public boolean isDisposed() {
    return work == null;
  }
}
