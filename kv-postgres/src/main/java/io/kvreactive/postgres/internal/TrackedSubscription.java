package io.kvreactive.postgres.internal;

import io.kvreactive.spi.SerialSubscription;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import reactor.core.CoreSubscriber;

/**
 * A subscription that the {@link ChangeTracker} wakes after commits. It reads when it was touched
 * and there is demand. State and steps: event loop of the engine.
 */
abstract class TrackedSubscription<T> extends SerialSubscription<T> {
  final ChangeTracker tracker;

  /** True from a commit or expiry that concerns the subscription until the next read begins. */
  boolean touched = true;

  /** True while a read is under way. */
  boolean reading;

  private final Context context;
  private long timer = -1;

  TrackedSubscription(
      CoreSubscriber<? super T> subscriber, Context context, ChangeTracker tracker) {
    super(subscriber, task -> context.runOnContext(ignored -> task.run()));
    this.context = context;
    this.tracker = tracker;
  }

  /**
   * Registers with the tracker, and subscribes. In this order, because a poll between a first read
   * and the registration would not announce the commits that it finds. Thread-safe.
   */
  final void start() {
    onEventLoop(
        () -> {
          if (!isEnding()) {
            register();
          }
        });
    subscribe();
  }

  abstract void register();

  /** Removes the subscription from the tracker and releases its state. Idempotent. */
  abstract void drop();

  /** Requests a read, after a commit or expiry that concerns the subscription. Event loop. */
  final void touched() {
    touched = true;
    wakeHere();
  }

  /** Runs a task on the event loop, immediately if this is its thread. Thread-safe. */
  final void onEventLoop(Runnable task) {
    if (Vertx.currentContext() == context) {
      task.run();
    } else {
      context.runOnContext(ignored -> task.run());
    }
  }

  /** Runs a task after a time, instead of the task that waits. Event loop. */
  final void setTimer(long millis, Runnable task) {
    cancelTimer();
    timer =
        context
            .owner()
            .setTimer(
                millis,
                fired ->
                    onEventLoop(
                        () -> {
                          timer = -1;
                          task.run();
                        }));
  }

  /** Returns true if a task waits for its time. */
  final boolean hasTimer() {
    return timer != -1;
  }

  final void cancelTimer() {
    context.owner().cancelTimer(timer);
    timer = -1;
  }

  @Override
  protected final void release() {
    onEventLoop( // a subscription is cancelled on any thread
        () -> {
          cancelTimer();
          drop();
        });
  }
}
