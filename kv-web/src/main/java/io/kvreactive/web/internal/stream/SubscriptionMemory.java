package io.kvreactive.web.internal.stream;

import io.kvreactive.KvException;
import io.kvreactive.web.internal.http.ByteBudget;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * The memory of all subscriptions of a connection: their requests while they last, and their
 * results until they are written. All methods but {@link #take} and {@link #add} must be called on
 * the connection's context.
 *
 * <p>A subscription whose result was rejected waits. While the connection holds results, it gets a
 * turn when one of them was written. Otherwise others hold the memory: the connection asks for as
 * much as the first subscription needs, and that one reads when it was granted. What it does not
 * use goes back at once, so that a connection that waits holds none that others wait for.
 */
final class SubscriptionMemory {
  private static final AtomicLongFieldUpdater<SubscriptionMemory> READ =
      AtomicLongFieldUpdater.newUpdater(SubscriptionMemory.class, "read");

  /** Estimated memory in bytes of a subscription besides its request. */
  private static final int SUBSCRIPTION_BYTES = 2 << 10;

  /**
   * Memory in bytes of what is read ahead for a query or a list: a page, and what becomes of it.
   */
  static final long STANDING_BYTES = 384 << 10;

  private final int most;
  private final ByteBudget.Share memory;
  private volatile long read; // bytes of results
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>(0);
  private boolean requests; // memory of the server
  private long granted; // by the server, for the next result; guarded by this
  private @Nullable Subscription served; // the one that reads what was granted
  private long requestBytes;

  /** A subscription, and the memory that it needs for its next result. */
  private record Waiting(Subscription subscription, long bytes) {}

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
    if (requestBytes + counted > most) {
      return false;
    }
    memory.take(SUBSCRIPTION_BYTES + bytes);
    requestBytes += counted;
    return true;
  }

  /** Releases the memory of the request of a subscription that has ended. */
  void release(long bytes, long counted) {
    memory.give(SUBSCRIPTION_BYTES + bytes);
    requestBytes -= counted;
  }

  /**
   * Takes memory for a result. May be called on any thread.
   *
   * @return false if the memory of the connection or of the server is spent. A single result above
   *     the connection's maximum may be accepted, but no other result beside it.
   */
  boolean take(long bytes) {
    while (true) {
      long before = read;
      if (before > most || before + bytes > most && bytes <= most) {
        return false;
      }
      if (READ.compareAndSet(this, before, before + bytes)) {
        boolean taken = takeOfServer(bytes);
        if (!taken) {
          READ.addAndGet(this, -bytes);
        }
        return taken;
      }
    }
  }

  /** Takes memory of the server: what was granted, and the rest if it is free. */
  private boolean takeOfServer(long bytes) {
    long before = useGranted();
    boolean taken = before >= bytes || memory.tryTake(bytes - before);
    giveBack(taken ? before - bytes : before);
    return taken;
  }

  private void giveBack(long bytes) {
    if (bytes > 0) {
      memory.give(bytes);
    }
  }

  private synchronized long useGranted() {
    long bytes = granted;
    granted = 0;
    return bytes;
  }

  /**
   * Takes memory for what a query or a list holds besides results, from before its first read to
   * its end. Not counted against the maximum of the connection, which limits results.
   *
   * @return false if the memory of the server is spent
   */
  boolean takeStanding() {
    return takeOfServer(STANDING_BYTES);
  }

  /** Returns the memory of {@link #takeStanding}. */
  void giveStanding() {
    memory.give(STANDING_BYTES);
  }

  /** Takes memory for a result that cannot be rejected. May be called on any thread. */
  void add(long bytes) {
    long before = useGranted();
    memory.add(Math.max(0, bytes - before));
    giveBack(before - bytes);
    READ.addAndGet(this, bytes);
  }

  /** Releases the memory of results that were written or dropped. */
  void give(long bytes) {
    if (bytes > 0) {
      memory.give(bytes);
      READ.addAndGet(this, -bytes);
      wakeNext();
    }
  }

  /**
   * Gives the subscription a turn when there is memory.
   *
   * @param bytes the memory of the result that was rejected
   */
  void waitFor(Subscription subscription, long bytes) {
    giveBackGrantOf(subscription);
    if (!subscription.socket.hasRoom()) {
      subscription.wantTurn(); // when the connection accepts output
      return;
    }
    waiting.add(new Waiting(subscription, bytes));
    if (read == 0) {
      requestMemory();
    }
  }

  /** Asks for the memory that the first subscription needs, unless some is asked for. */
  private void requestMemory() {
    Waiting first = waiting.peek();
    if (requests || first == null) {
      return;
    }
    long bytes = first.bytes();
    StreamSocket socket = first.subscription().socket;
    requests = true;
    try {
      memory.takeWhenFree(bytes, () -> socket.run(() -> granted(bytes)));
    } catch (KvException tooLarge) { // for the whole budget
      requests = false;
      waiting.remove(first);
      first.subscription().fail(tooLarge);
    }
  }

  private void granted(long bytes) {
    requests = false;
    giveGranted();
    Waiting first = waiting.poll();
    if (first == null) {
      memory.give(bytes); // none waits any more
      return;
    }
    synchronized (this) {
      granted = bytes;
    }
    served = first.subscription();
    served.wantTurn();
  }

  /** Gives back what was granted and not used. */
  void giveGranted() {
    served = null;
    giveBack(useGranted());
  }

  /** Records that a subscription has its result, or does not read. The rest is given back. */
  void giveBackGrantOf(Subscription subscription) {
    if (served == subscription) {
      giveGranted();
    }
  }

  /** Returns true if a subscription reads what was granted. */
  boolean isServed(Subscription subscription) {
    return served == subscription;
  }

  /** Returns true if no more results should be requested. */
  synchronized boolean isFull() {
    return read >= most || memory.isSpent() && granted == 0;
  }

  /**
   * Returns true if a subscription waits for memory. It must not read, for whatever turn it gets.
   */
  boolean isWaiting(Subscription subscription) {
    return waiting.stream().anyMatch(each -> each.subscription() == subscription);
  }

  /** Records the end of a turn. */
  void turnEnded(Subscription subscription, boolean reads) {
    if (!reads) {
      giveBackGrantOf(subscription);
      wakeIfNothingWill();
    }
  }

  /**
   * Wakes the next subscription that waits if nothing is held and nothing is requested, because
   * then nothing will. While memory is requested, it does not: subscriptions that wait for it would
   * wake each other for ever.
   */
  void wakeIfNothingWill() {
    if (read == 0 && !requests) {
      wakeNext();
    }
  }

  /** Removes a subscription that has ended and may be waiting. */
  void ended(Subscription subscription) {
    waiting.removeIf(each -> each.subscription() == subscription);
    giveBackGrantOf(subscription);
    wakeNext();
  }

  private void wakeNext() {
    Waiting next = waiting.poll();
    if (next != null) {
      next.subscription().wantTurn();
    }
  }

  void clear() {
    waiting.clear();
  }

  /** Returns the memory of held results in bytes. */
  long read() {
    return read;
  }
}
