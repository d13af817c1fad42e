package io.kvreactive.web.internal.stream;

import java.util.ArrayDeque;

/** Which lists of a connection may read and hold pages; the others take turns with them. */
final class ReadTurns {
  /** Lists that hold pages. */
  private static final int MOST = 4;

  private final ArrayDeque<ListSubscription> waiting = new ArrayDeque<>(0);
  private int reading;

  /** Whether a list may read and hold pages; if not, it gets a turn when it may. */
  boolean mayRead(ListSubscription list) {
    if (reading < MOST) {
      reading++;
      return true;
    }
    if (!waiting.contains(list)) {
      waiting.add(list);
    }
    return false;
  }

  boolean othersWait() {
    return !waiting.isEmpty();
  }

  /** A list holds no more pages. */
  void hasRead() {
    reading--;
    ListSubscription next = waiting.poll();
    if (next != null) {
      next.wantTurn();
    }
  }

  void remove(ListSubscription list) {
    waiting.remove(list);
  }

  void clear() {
    waiting.clear();
  }
}
