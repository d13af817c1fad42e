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
  /** Estimated memory in bytes of a subscription besides its request. */
  private static final int SUBSCRIPTION_BYTES = 2 << 10;

  /**
   * Memory in bytes of what is read ahead for a query or a list: a page, and what becomes of it.
   */
  private static final long STANDING_BYTES = 384 << 10;

  private final int most;
  private final ByteBudget.Share memory;
  private final AtomicLong read = new AtomicLong();
  private final ArrayDeque<Subscription> waiting = new ArrayDeque<>(0);
  private volatile boolean refusedByServer; // the last result, for which others hold the memory
  private long asked;

  /**
   * Creates the memory of a connection.
   *
   * @param most the maximum number of bytes of requests, and of results
   * @param memory the connection's share of the server's memory
   */
  SubscriptionMemory(int most, ByteBudget.Share memory) {
    this.most = most;
    this.memory = memory;
  }

  /**
   * Takes memory for the request of a subscription. Returns false if the requests of this
   * connection would exceed its maximum.
   *
   * @param counted the part of {@code bytes} that counts against this maximum
   * @throws io.kvreactive.KvException OVERLOADED if the memory of the server is spent;
   *     LIMIT_EXCEEDED if the request exceeds all of it
   */
  boolean keep(long bytes, long counted) {
    if (asked + counted > most) {
      return false;
    }
    memory.take(SUBSCRIPTION_BYTES + bytes);
    asked += counted;
    return true;
  }

  /** Releases the memory of the request of a subscription that has ended. */
  void forget(long bytes, long counted) {
    memory.give(SUBSCRIPTION_BYTES + bytes);
    asked -= counted;
  }

  /**
   * Takes memory for a result. May be called on any thread.
   *
   * @return false if the memory of the connection or of the server is spent. A single result above
   *     the connection's maximum may be accepted, but no other result beside it.
   */
  boolean take(long bytes) {
    while (true) {
      long before = read.get();
      if (before > most || before + bytes > most && bytes <= most) {
        return false;
      }
      if (read.compareAndSet(before, before + bytes)) {
        boolean taken = memory.tryTake(bytes);
        refusedByServer = !taken;
        if (!taken) {
          read.addAndGet(-bytes);
        }
        return taken;
      }
    }
  }

  /**
   * Takes memory for what a query or a list holds besides results, from before its first read to
   * its end. Not counted against the maximum of the connection, which limits results.
   *
   * @return false if the memory of the server is spent
   */
  boolean takeStanding() {
    boolean taken = memory.tryTake(STANDING_BYTES);
    refusedByServer = !taken;
    return taken;
  }

  /** Returns the memory of {@link #takeStanding}. */
  void giveStanding() {
    memory.give(STANDING_BYTES);
  }

  /** Takes memory for a result that cannot be rejected. May be called on any thread. */
  void add(long bytes) {
    memory.add(bytes);
    read.addAndGet(bytes);
  }

  /** Releases the memory of results that were written or dropped. */
  void give(long bytes) {
    if (bytes > 0) {
      memory.give(bytes);
      read.addAndGet(-bytes);
      wakeNext();
    }
  }

  /** Gives the subscription a turn when there is memory for the result that was rejected. */
  void waitFor(Subscription subscription) {
    if (read.get() == 0 && (refusedByServer || memory.isSpent())) {
      subscription.wakeLater(); // nothing is held here whose release could wake it
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

  /** Records that a subscription gets a turn, for whatever reason. */
  void waitsNoMore(Subscription subscription) {
    if (!waiting.isEmpty()) {
      waiting.remove(subscription);
    }
  }

  /**
   * Records the end of a turn. If nothing is held, no release will wake a waiting subscription.
   * Therefore a turn without a read wakes the next one.
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

  /** Returns the memory of held results in bytes. */
  long read() {
    return read.get();
  }
}
