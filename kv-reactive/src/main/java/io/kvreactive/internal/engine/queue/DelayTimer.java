package io.kvreactive.internal.engine.queue;

import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** One timer for everything that queues wait for. Confined to the store thread. */
final class DelayTimer {
  /** The wall clock may be set forward meanwhile. */
  static final long MAX_MILLIS = 60_000;

  private final LongSupplier elapsed;
  private final BiFunction<Long, Runnable, Future<?>> timer;
  private final Executor storeThread;
  private final Runnable task;
  private @Nullable Future<?> armed;
  private long armedAt = Long.MAX_VALUE;

  /**
   * @param elapsed milliseconds of a clock that does not jump
   * @param timer runs a task after so many milliseconds, on some thread
   * @param task what to do then, on the store thread; arms it again
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

  /** Makes it go off in so many milliseconds at the latest. */
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
