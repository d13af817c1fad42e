package io.kvreactive.web.internal.stream;

import java.util.ArrayDeque;

/**
 * Permits to read and hold results, for subscriptions of one kind; subscriptions without a permit
 * take turns.
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
   * Takes a permit. Returns false if there is none; the subscription then gets a turn when there is
   * one.
   */
  boolean mayRead(Subscription one) {
    if (reading < most) {
      reading++;
      return true;
    }
    if (!waiting.contains(one)) {
      waiting.add(one);
    }
    return false;
  }

  boolean othersWait() {
    return !waiting.isEmpty();
  }

  /** Releases a permit. */
  void hasRead() {
    reading--;
    wakeNext();
  }

  private void wakeNext() {
    Subscription next = waiting.poll();
    if (next != null) {
      next.wantTurn();
    }
  }

  /**
   * Removes a subscription that has ended. A permit that it was about to get goes to the next one.
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
