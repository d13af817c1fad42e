package io.kvreactive.internal.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Runs short tasks at times of the store's clock, on a thread that ends when idle. Tasks must only
 * hand work to other threads. Thread-safe.
 */
final class TimerThread {
  private static final long IDLE_SECONDS = 10;

  private final ScheduledThreadPoolExecutor executor;
  private final LongSupplier clock;

  TimerThread(String store, LongSupplier clock) {
    this.clock = clock;
    this.executor =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "kv-timer-" + store);
              thread.setDaemon(true);
              return thread;
            });
    executor.setRemoveOnCancelPolicy(true);
    executor.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
    executor.allowCoreThreadTimeOut(true);
  }

  /**
   * Runs a task at a time, or at once if the time has passed.
   *
   * @return the handle that cancels the task; after {@link #close} the task never runs
   */
  Future<?> at(long millis, Runnable task) {
    long delay = Math.max(0, millis - clock.getAsLong());
    try {
      return executor.schedule(task, delay, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) { // closed
      return CompletableFuture.completedFuture(null);
    }
  }

  void close() {
    executor.shutdownNow();
  }
}
