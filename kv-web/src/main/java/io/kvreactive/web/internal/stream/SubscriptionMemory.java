package io.kvreactive.web.internal.stream;

import io.kvreactive.web.internal.http.ByteBudget;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory of all subscriptions of a connection: their requests while they last, and their
 * results until they are written. All methods but {@link #take} and {@link #add} must be called on
 * the connection's context.
 */
final class SubscriptionMemory {
  /** Estimated memory of a subscription. */
  private static final int SUBSCRIPTION_BYTES = 2 << 10;

  private final int most;
  private final ByteBudget.Share memory;
  private final AtomicLong read = new AtomicLong();
  private final ArrayDeque<Subscription> waiting = new ArrayDeque<>(0);
  private long asked;

  /**
   * @param most the maximum number of bytes of this connection
   * @param memory the share of the server's memory
   */
  SubscriptionMemory(int most, ByteBudget.Share memory) {
    this.most = most;
    this.memory = memory;
  }

  /**
   * Takes memory for the request of a subscription. Returns false if this connection has no room.
   *
   * @throws KvException OVERLOADED if the server has no room
   */
  boolean keep(long bytes) {
    if (asked + bytes > most) {
      return false;
    }
    memory.take(SUBSCRIPTION_BYTES + bytes);
    asked += bytes;
    return true;
  }

  /** Releases the request of a subscription that has ended. */
  void forget(long bytes) {
    memory.give(SUBSCRIPTION_BYTES + bytes);
    asked -= bytes;
  }

  /**
   * Takes memory for a result, on any thread.
   *
   * @return false if the connection or the server has no room. A single result that exceeds the
   *     whole limit may be accepted, but no second one beside it.
   */
  boolean take(long bytes) {
    while (true) {
      long before = read.get();
      if (before > most || before + bytes > most && bytes <= most) {
        return false;
      }
      if (memory.isSpent()) {
        return false;
      }
      if (read.compareAndSet(before, before + bytes)) {
        memory.add(bytes);
        return true;
      }
    }
  }

  /** Takes memory for a result that is held already, on any thread. */
  void add(long bytes) {
    memory.add(bytes);
    read.addAndGet(bytes);
  }

  /** Releases memory of results that were written or dropped. */
  void give(long bytes) {
    if (bytes > 0) {
      memory.give(bytes);
      read.addAndGet(-bytes);
      wakeNext();
    }
  }

  /** Gives a turn to a subscription when there is room for the result that was rejected. */
  void waitFor(Subscription subscription) {
    if (read.get() == 0 && memory.isSpent()) {
      subscription.wakeLater(); // no release will follow here
    } else if (read.get() == 0) {
      subscription.wantTurn();
    } else {
      waiting.add(subscription);
    }
  }

  /** Returns true if no more results should be requested. */
  boolean isFull() {
    return read.get() >= most || memory.isSpent();
  }

  /** Records that a subscription has its turn, for any reason. */
  void waitsNoMore(Subscription subscription) {
    if (!waiting.isEmpty()) {
      waiting.remove(subscription);
    }
  }

  /**
   * Records the end of a turn. If nothing is held, no release will wake another subscription, so
   * one that was woken and reads nothing wakes the next.
   */
  void turned(boolean reads) {
    if (!reads && read.get() == 0) {
      wakeNext();
    }
  }

  /** Removes a subscription that has ended and may be waiting. */
  void ended(Subscription subscription) {
    waiting.remove(subscription);
    wakeNext();
  }

  private void wakeNext() {
    Subscription next = waiting.poll();
    if (next != null) {
      next.wantTurn();
    }
  }

  void clear() {
    waiting.clear();
  }

  /** Returns the memory of results that are held. */
  long read() {
    return read.get();
  }
}
