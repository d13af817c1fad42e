package io.kvreactive.internal.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Runs short tasks at a time of the store's clock, on a thread that ends when nothing was due for a
 * while. Tasks must only hand work to other threads.
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
   * Runs a task at a time, or at once when it has passed.
   *
   * @return what cancels it; a task of a closed store is never run
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
