package io.kvreactive.web.internal.stream;

import io.kvreactive.Versionstamp;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Operators;

/**
 * A subscription of a connection. It sends at most the elements that the client has given credit
 * for, and only in its turn. All methods must be called on the connection's context.
 */
abstract class Subscription {
  final StreamSocket socket;
  final long id;
  final long keptBytes;
  final long countedBytes;
  private long credit;
  private long byteCredit; // negative if the last message exceeded it
  private boolean queued;
  private boolean ended;
  private boolean hasPermit;

  Subscription(StreamSocket socket, ClientFrame.Open request) {
    this.socket = socket;
    this.id = request.id();
    this.keptBytes = request.bytes();
    this.countedBytes = request.countedBytes();
    this.credit = request.credit();
    this.byteCredit = request.byteCredit();
  }

  /** Returns the number of elements that may be sent. */
  final long credit() {
    return credit;
  }

  /**
   * Returns the number of elements that may be requested: the credit, or 0 if no bytes are left.
   */
  final long demand() {
    return byteCredit > 0 ? credit : 0;
  }

  /** Subtracts {@code n} sent elements from the credit. */
  final void sent(long n) {
    if (n > credit) {
      throw new IllegalStateException(n + " sent with a credit of " + credit);
    }
    if (credit != Long.MAX_VALUE) {
      credit -= n;
    }
  }

  /** Adds elements and bytes to the credit. */
  final void allow(long n, long bytes) {
    credit = Operators.addCap(credit, n);
    byteCredit = byteCredit > Long.MAX_VALUE - bytes ? Long.MAX_VALUE : byteCredit + bytes;
    wantTurn();
  }

  /** Requests a turn, unless one is requested already. */
  final void wantTurn() {
    if (!queued && !ended) {
      queued = true;
      socket.queue(this);
    }
  }

  /** Sends the frame of {@link StreamSocket#frames}. Returns its size in bytes. */
  final int send() {
    int bytes = socket.send();
    if (byteCredit != Long.MAX_VALUE) {
      byteCredit -= bytes;
    }
    return bytes;
  }

  /**
   * Sends about one frame, or starts reading unless it waits for memory. Requests another turn if
   * more can be sent immediately.
   *
   * @return the number of bytes sent
   */
  final int takeTurn() {
    queued = false;
    int bytes = ended ? 0 : turn();
    socket.held().turnEnded(this, !ended && reads());
    return bytes;
  }

  /** Returns true if a read is in progress. Its result will be held, or the read will fail. */
  abstract boolean reads();

  abstract int turn();

  /** Ends the subscription and releases its resources. Idempotent. */
  final void stop() {
    if (!ended) {
      ended = true;
      release();
    }
  }

  final boolean ended() {
    return ended;
  }

  /** Returns true if this subscription has a permit to read; see {@link ReadPermits}. */
  final boolean hasPermit() {
    return hasPermit;
  }

  final void setPermit(boolean has) {
    hasPermit = has;
  }

  abstract void release();

  final void fail(Throwable failure) {
    if (!ended) {
      socket.fail(this, failure);
    }
  }

  /**
   * Returns true for a write, which a server that stops answers before it closes the connection.
   */
  boolean isWrite() {
    return false;
  }

  /** Returns true for a feed that is still listing, or a query that has not sent all rows. */
  boolean isListing() {
    return false;
  }

  /**
   * Returns the version from which a new subscription can continue without a gap; null if this is
   * not possible.
   */
  @Nullable Versionstamp resumeFrom() {
    return null;
  }
}
