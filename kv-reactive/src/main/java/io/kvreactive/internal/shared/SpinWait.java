package io.kvreactive.internal.shared;

import java.util.function.BooleanSupplier;

/**
 * Waits for a moment before a thread parks, if that was worth it lately. To wake a parked thread
 * takes several microseconds of both threads, and much more on some virtual machines: longer than a
 * read or a callback. (Measured among a million keys: gets 2.7 times as fast with 64 in flight, 3.5
 * times one at a time.)
 *
 * <p>A thread whose next task comes after a sync of the disk would wait in vain, and would keep a
 * processor from the thread that syncs. So after a wait in vain, the next waits are omitted: one,
 * then twice as many, up to {@value #MAX_OMITTED}. A successful wait starts over.
 *
 * <p>Belongs to one waiting thread. Not thread-safe.
 */
public final class SpinWait {
  /**
   * Number of times that the thread yields. With a processor of its own it waits a few
   * microseconds; otherwise other threads run meanwhile.
   */
  private static final int YIELDS = 16;

  private static final int MAX_OMITTED = 64;

  private int omittedPerFailure; // 0 after a success
  private int toOmit;

  /**
   * Returns true as soon as a condition holds. Returns false if it does not hold soon, or does not
   * hold now and the wait is omitted.
   */
  @SuppressWarnings("ThreadPriorityCheck") // if yields do nothing, the thread parks sooner
  public boolean until(BooleanSupplier condition) {
    if (isOmitted()) {
      return condition.getAsBoolean();
    }
    for (int i = 0; i < YIELDS; i++) {
      if (condition.getAsBoolean()) {
        return ended(true);
      }
      Thread.yield();
    }
    return ended(condition.getAsBoolean());
  }

  /**
   * Like {@link #until(BooleanSupplier)}, but keeps the processor, until {@code deadline} by {@link
   * System#nanoTime} at the latest.
   */
  public boolean until(BooleanSupplier condition, long deadline) {
    if (isOmitted()) {
      return condition.getAsBoolean();
    }
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline >= 0) {
        return ended(false);
      }
      Thread.onSpinWait();
    }
    return ended(true);
  }

  private boolean isOmitted() {
    if (toOmit == 0) {
      return false;
    }
    toOmit--;
    return true;
  }

  private boolean ended(boolean successful) {
    omittedPerFailure = successful ? 0 : Math.min(MAX_OMITTED, Math.max(1, 2 * omittedPerFailure));
    toOmit = omittedPerFailure;
    return successful;
  }
}
