package io.kvreactive.web.internal.stream;

import io.kvreactive.web.internal.http.ByteBudget;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the subscriptions of a connection hold, all together: what they were asked with, for as long
 * as they last, and what was read for them, until it is written. All methods run on the
 * connection's context, but for {@link #take} and {@link #add}.
 */
final class SubscriptionMemory {
  /** The objects of a subscription, about. */
  private static final int SUBSCRIPTION_BYTES = 2 << 10;

  private final int most;
  private final ByteBudget.Share memory;
  private final AtomicLong read = new AtomicLong();
  private final ArrayDeque<Subscription> waiting = new ArrayDeque<>(0);
  private long asked;

  /**
   * @param most bytes of this connection
   * @param memory of the server that they are taken from
   */
  SubscriptionMemory(int most, ByteBudget.Share memory) {
    this.most = most;
    this.memory = memory;
  }

  /**
   * Keeps what a subscription is asked with; false when there is no room.
   *
   * @throws KvException OVERLOADED when the server has no room
   */
  boolean keep(long bytes) {
    if (asked + bytes > most) {
      return false;
    }
    memory.take(SUBSCRIPTION_BYTES + bytes);
    asked += bytes;
    return true;
  }

  /** The subscription has ended. */
  void forget(long bytes) {
    memory.give(SUBSCRIPTION_BYTES + bytes);
    asked -= bytes;
  }

  /**
   * Takes what was read, on any thread.
   *
   * @return false when that is too much, here or for the server; one that is larger than all may be
   *     has to pass, but no second one beside it
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

  /** Takes what is there already, on any thread. */
  void add(long bytes) {
    memory.add(bytes);
    read.addAndGet(bytes);
  }

  /** Gives back what has been written, or given up. */
  void give(long bytes) {
    if (bytes > 0) {
      memory.give(bytes);
      read.addAndGet(-bytes);
      wakeNext();
    }
  }

  /** Gives a turn, when there is room, to one whose read there was no room for. */
  void waitFor(Subscription subscription) {
    if (read.get() == 0 && memory.isSpent()) {
      subscription.wakeLater(); // nothing will be given back here
    } else if (read.get() == 0) {
      subscription.wantTurn();
    } else {
      waiting.add(subscription);
    }
  }

  /** Whether more than that should not be asked for. */
  boolean isFull() {
    return read.get() >= most || memory.isSpent();
  }

  /** A subscription has its turn, for whatever reason. */
  void waitsNoMore(Subscription subscription) {
    if (!waiting.isEmpty()) {
      waiting.remove(subscription);
    }
  }

  /**
   * A subscription has had its turn. When nothing is held nothing will be given back, so one that
   * was woken and needs nothing passes it on.
   */
  void turned(boolean reads) {
    if (!reads && read.get() == 0) {
      wakeNext();
    }
  }

  /** One that may be waiting has ended. */
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

  /** What was read and is held. */
  long read() {
    return read.get();
  }
}
