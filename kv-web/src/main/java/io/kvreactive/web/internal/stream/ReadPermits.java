package io.kvreactive.web.internal.stream;

import java.util.ArrayDeque;

/**
 * The permits of a connection's subscriptions of one kind to read and hold results. A subscription
 * has at most one permit. Those without wait for a turn.
 */
final class ReadPermits {
  private final int most;
  private final ArrayDeque<Subscription> waiting = new ArrayDeque<>(0);
  private int reading;

  /**
   * Creates the permits of a connection.
   *
   * @param most the number of permits
   */
  ReadPermits(int most) {
    this.most = most;
  }

  /**
   * Takes a permit for a subscription, unless it has one. If there is none, returns false, and the
   * subscription gets a turn when a permit is released.
   */
  boolean take(Subscription one) {
    if (!one.hasPermit() && reading < most) {
      reading++;
      one.setPermit(true);
    } else if (!one.hasPermit() && !waiting.contains(one)) {
      waiting.add(one);
    }
    return one.hasPermit();
  }

  boolean othersWait() {
    return !waiting.isEmpty();
  }

  /** Releases the permit of a subscription, if it has one. */
  void release(Subscription one) {
    if (one.hasPermit()) {
      one.setPermit(false);
      reading--;
      wakeNext();
    }
  }

  private void wakeNext() {
    Subscription next = waiting.poll();
    if (next != null) {
      next.wantTurn();
    }
  }

  /**
   * Removes a subscription that has ended. A permit that it was about to take goes to the next
   * waiting subscription.
   */
  void remove(Subscription one) {
    if (!waiting.remove(one) && reading < most) {
      wakeNext();
    }
  }

  void clear() {
    waiting.clear();
  }
}
