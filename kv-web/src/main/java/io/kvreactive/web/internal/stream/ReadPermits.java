package io.kvreactive.web.internal.stream;

import java.util.ArrayDeque;

/** Which subscriptions of a kind may read and hold what was read; the others take turns. */
final class ReadPermits {
  private final int most;
  private final ArrayDeque<Subscription> waiting = new ArrayDeque<>(0);
  private int reading;

  /**
   * For so many at a time.
   *
   * @param most of a connection
   */
  ReadPermits(int most) {
    this.most = most;
  }

  /** Whether one may read and hold what it reads; if not, it gets a turn when it may. */
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

  /** One holds nothing more. */
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

  /** One has ended; if it was to have a free place, the next one has it. */
  void remove(Subscription one) {
    if (!waiting.remove(one) && reading < most) {
      wakeNext();
    }
  }

  void clear() {
    waiting.clear();
  }
}
