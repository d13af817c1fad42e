package io.kvreactive.documents.internal.worker;

import io.kvreactive.internal.shared.CancellableSubscriber;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;
import reactor.util.context.Context;

/**
 * The subscriber for whose value a thread waits. Wakes the thread when there is a result.
 *
 * @param <T> the type of the value
 */
final class ValueWait<T> extends CancellableSubscriber<T> {
  private final Thread waiter = Thread.currentThread();
  private final @Nullable QueryJob job;
  private @Nullable T value;
  private @Nullable Throwable failure;
  private volatile boolean done;

  /**
   * Creates a subscriber for the current thread.
   *
   * @param job the job whose cancellation ends the wait; null for none
   */
  ValueWait(@Nullable QueryJob job) {
    this.job = job;
  }

  @Override
  public Context currentContext() {
    return job == null ? Context.empty() : job.context();
  }

  @Override
  protected void subscribed() {
    request(Long.MAX_VALUE);
  }

  @Override
  protected void received(T element) {
    value = element;
    end();
  }

  @Override
  protected void failed(Throwable error) {
    failure = error;
    end();
  }

  @Override
  protected void completed() {
    end();
  }

  private void end() {
    done = true;
    LockSupport.unpark(waiter);
  }

  /** Returns true if there is a result, or the job was cancelled. */
  boolean isOver() {
    return done || job != null && job.isCancelled();
  }

  /**
   * Returns the value, or null if there is none. Cancels the subscription if there is no result
   * yet.
   *
   * @throws java.util.concurrent.CancellationException if the job was cancelled
   */
  @Nullable T result() {
    if (!done) {
      dispose();
      throw QueryJob.cancellation();
    }
    if (failure != null) {
      throw Exceptions.propagate(failure);
    }
    return value;
  }
}
