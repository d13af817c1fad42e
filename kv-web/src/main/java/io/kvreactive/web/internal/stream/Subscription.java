package io.kvreactive.web.internal.stream;

import io.kvreactive.Versionstamp;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Operators;

/**
 * One thing that a client follows on a connection. It never sends more than the client has given
 * credit for, and only when it is its turn. All methods run on the connection's context.
 */
abstract class Subscription {
  final StreamSocket socket;
  final long id;
  final long keptBytes;
  private long credit;
  private boolean queued;
  private boolean ended;

  Subscription(StreamSocket socket, ClientFrame.Open asked) {
    this.socket = socket;
    this.id = asked.id();
    this.keptBytes = asked.bytes();
    this.credit = asked.credit();
  }

  /** How much may still be sent. */
  final long credit() {
    return credit;
  }

  /** Takes what is sent now off the credit. */
  final void sent(long n) {
    if (n > credit) {
      throw new IllegalStateException(n + " sent with a credit of " + credit);
    }
    if (credit != Long.MAX_VALUE) {
      credit -= n;
    }
  }

  final void allow(long n) {
    credit = Operators.addCap(credit, n);
    wantTurn();
  }

  /** Queues for a turn. */
  final void wantTurn() {
    if (!queued && !ended) {
      queued = true;
      socket.queue(this);
    }
  }

  /** Queues for a turn after a while. */
  final void wakeLater() {
    socket.wakeLater(this);
  }

  /**
   * Sends about one frame, or begins to get what can be sent; asks for another turn if there is
   * more to do at once.
   *
   * @return bytes sent
   */
  final int takeTurn() {
    queued = false;
    socket.held().waitsNoMore(this);
    int bytes = ended ? 0 : turn();
    socket.held().turned(!ended && reads());
    return bytes;
  }

  /** Whether something is being read for it that will soon be held, or fail. */
  abstract boolean reads();

  abstract int turn();

  /** Gives everything up: the client has cancelled, or this has ended. */
  final void stop() {
    if (!ended) {
      ended = true;
      release();
    }
  }

  final boolean ended() {
    return ended;
  }

  abstract void release();

  final void fail(Throwable failure) {
    if (!ended) {
      socket.fail(this, failure);
    }
  }

  /** Whether it is a feed that lists yet, or a query whose rows are not all sent. */
  boolean isListing() {
    return false;
  }

  /** Where a new subscription can go on without a gap; null when there is no such place. */
  @Nullable Versionstamp resumeFrom() {
    return null;
  }
}
