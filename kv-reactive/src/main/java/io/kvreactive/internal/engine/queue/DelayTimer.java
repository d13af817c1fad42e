package io.kvreactive.internal.engine.queue;

import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The timer of all queues. Confined to the store thread. */
final class DelayTimer {
  /** Maximum delay, because the wall clock may be set forward meanwhile. */
  static final long MAX_MILLIS = 60_000;

  private final LongSupplier elapsed;
  private final BiFunction<Long, Runnable, Future<?>> timer;
  private final Executor storeThread;
  private final Runnable task;
  private @Nullable Future<?> armed;
  private long armedAt = Long.MAX_VALUE;

  /**
   * Creates a timer.
   *
   * @param elapsed milliseconds of the monotonic clock
   * @param timer runs a task after a number of milliseconds, on any thread
   * @param task the task, which runs on the store thread and sets the timer again
   */
  DelayTimer(
      LongSupplier elapsed,
      BiFunction<Long, Runnable, Future<?>> timer,
      Executor storeThread,
      Runnable task) {
    this.elapsed = elapsed;
    this.timer = timer;
    this.storeThread = storeThread;
    this.task = task;
  }

  /** Ensures that the task runs within a number of milliseconds. */
  void within(long millis) {
    long delay = Math.max(1, Math.min(millis, MAX_MILLIS));
    long at = elapsed.getAsLong() + delay;
    if (at >= armedAt) {
      return;
    }
    cancel();
    armedAt = at;
    armed = timer.apply(delay, () -> storeThread.execute(this::fire));
  }

  private void fire() {
    armedAt = Long.MAX_VALUE;
    task.run();
  }

  void cancel() {
    if (armed != null) {
      armed.cancel(false);
    }
    armedAt = Long.MAX_VALUE;
  }
}
