package io.kvreactive.web.internal.stream;

import io.kvreactive.Kv;
import io.kvreactive.Versionstamp;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;

/**
 * A subscription to a change feed, which may begin with a list.
 *
 * <p>Few updates are requested ahead of the connection. If the held updates exceed the memory of
 * the connection, or the credit of bytes is exhausted, the feed is cancelled. It is resumed after
 * the last sent commit when there is memory and credit again. Thus a slow client costs only its
 * position in the log.
 *
 * @param <E> an update: a listed entry, or a commit
 */
abstract class FeedSubscription<E> extends io.kvreactive.web.internal.stream.Subscription {
  /** The estimated memory of an update besides its keys and values. */
  static final int OBJECT_BYTES = 100;

  private static final int MAX_PREFETCH = 256;
  private static final int BYTES_AHEAD = 128 << 10;
  private static final int USUAL_BYTES = 4 << 10;

  /**
   * The assumed size of a listed entry until the actual size is known. A list cannot be cancelled
   * and resumed as a feed can, so few entries are requested first.
   */
  private static final int UNKNOWN_BYTES = 32 << 10;

  private final Kv kv;
  private final Deque<E> arrived = new ArrayDeque<>(0);
  private @Nullable Source source;
  private @Nullable Versionstamp last; // the version up to which everything was sent
  private boolean listing;
  private boolean standing;
  private boolean starting;
  private boolean completed;
  private int requested;
  private int heldBytes;
  private int usualBytes; // moving average of an update

  /**
   * Creates a subscription that begins at its first turn.
   *
   * @param since the version to continue after; null to list, or to begin at the newest version
   */
  FeedSubscription(
      StreamSocket socket,
      ClientFrame.Open asked,
      Kv kv,
      boolean listing,
      @Nullable Versionstamp since) {
    super(socket, asked);
    this.kv = kv;
    this.listing = listing;
    this.last = since;
    this.usualBytes = listing ? UNKNOWN_BYTES : USUAL_BYTES;
  }

  /**
   * Returns the updates after {@code since}.
   *
   * @param since null for a list and the changes after it
   */
  abstract Flux<E> updates(@Nullable Versionstamp since);

  /** Returns the estimated size of an update in bytes. */
  abstract int bytes(E update);

  /** Returns true for an update that only reports the progress of the feed and costs no credit. */
  abstract boolean isFree(E update);

  /**
   * Sends the next update, and more if they fit into its frame. Called only if there is an update,
   * and credit for it.
   *
   * @return the number of bytes sent
   */
  abstract int writeNext();

  // ---- writing

  @Override
  final int turn() {
    int bytes = 0;
    while (bytes < StreamSocket.FRAME_BYTES && canWrite() && socket.hasRoom()) {
      bytes += writeNext();
    }
    if (ended()) {
      return bytes;
    }
    if (canWrite()) {
      wantTurn();
    } else if (completed && arrived.isEmpty()) {
      socket.end(this, null);
    } else if (demand() == 0 && !arrived.isEmpty() && !completed && resumeFrom() != null) {
      release(); // resumed after the last sent commit when there is a credit of bytes
    } else {
      requestUpdates();
    }
    return bytes;
  }

  private boolean canWrite() {
    E head = arrived.peek();
    return head != null && (demand() > 0 || isFree(head));
  }

  /** Returns the next update; null if none has arrived. */
  final @Nullable E peek() {
    return arrived.peek();
  }

  /** Removes the next update and releases its memory. */
  final E remove() {
    E head = arrived.remove();
    int bytes = bytes(head);
    heldBytes -= bytes;
    socket.held().give(bytes);
    return head;
  }

  /** Records that everything up to a version was sent. Ignored while the feed lists. */
  final void sentUpTo(Versionstamp version) {
    if (!listing) {
      last = version;
    }
  }

  /** Records that the list was sent, whose entries are of the version {@code at}. */
  final void endList(Versionstamp at) {
    listing = false;
    giveStanding();
    last = at;
  }

  // ---- requesting

  private void requestUpdates() {
    int ahead = Math.max(1, Math.min(MAX_PREFETCH, BYTES_AHEAD / usualBytes));
    long wanted = Math.min(demand(), ahead) - requested - arrived.size();
    if (completed || starting || wanted <= 0) {
      return;
    }
    if (!socket.hasRoom()) {
      wantTurn(); // when the connection has room
      return;
    }
    if (requested > 0 && wanted < ahead / 4) {
      return; // updates are not requested one by one
    }
    if (listing && (socket.held().isFull() || !hasStanding())) {
      socket.held().waitFor(this);
      return;
    }
    if (source == null) {
      begin();
    }
    Source from = source;
    if (from != null) {
      requested += (int) wanted;
      from.request(wanted);
    }
  }

  /** Returns true if the memory of what is read ahead of a list is taken. */
  private boolean hasStanding() {
    standing = standing || socket.held().takeStanding();
    return standing;
  }

  private void giveStanding() {
    if (standing) {
      standing = false;
      socket.held().giveStanding();
    }
  }

  private void begin() {
    if (!listing && last == null) {
      readNewestVersion();
      return;
    }
    Source from = new Source();
    source = from;
    updates(resumeFrom()).subscribe(from);
  }

  /**
   * Reads and sends the newest version, so that the client can resume even if no change follows.
   */
  private void readNewestVersion() {
    starting = true;
    var unused =
        kv.engine()
            .read(List.of(), null)
            .subscribe(
                read -> socket.run(() -> start(read.snapshot())),
                failure -> socket.run(() -> fail(failure)));
  }

  private void start(Versionstamp now) {
    if (!ended()) {
      starting = false;
      last = now;
      socket.frames().at(id, "bookmark", now);
      socket.send();
      wantTurn();
    }
  }

  // ---- receiving

  private void take(E update) {
    requested--;
    int bytes = bytes(update);
    usualBytes = Math.max(listing ? bytes : 0, (int) ((7L * usualBytes + bytes) / 8));
    if (resumeFrom() == null) {
      socket.held().add(bytes); // a list cannot be resumed, so its entries must be held
    } else if (!socket.held().take(bytes)) {
      release(); // resumed after the last sent commit when there is memory
      socket.held().waitFor(this);
      return;
    }
    arrived.add(update);
    heldBytes += bytes;
    wantTurn();
  }

  @Override
  final void release() {
    Source from = source;
    source = null;
    requested = 0;
    arrived.clear();
    socket.held().give(heldBytes);
    heldBytes = 0;
    giveStanding();
    if (from != null) {
      from.cancel();
    }
  }

  @Override
  final boolean isListing() {
    return listing;
  }

  @Override
  final boolean reads() {
    return listing && requested > 0;
  }

  @Override
  final @Nullable Versionstamp resumeFrom() {
    return listing ? null : last;
  }

  /**
   * The subscriber of the feed. It subscribes on the connection's context, so its signals come on
   * that context.
   */
  private final class Source extends BaseSubscriber<E> {
    @Override
    protected void hookOnSubscribe(Subscription subscription) {
      // requests are made in turns
    }

    @Override
    protected void hookOnNext(E update) {
      if (this == source) {
        take(update);
      }
    }

    @Override
    protected void hookOnComplete() {
      if (this == source) {
        completed = true;
        wantTurn();
      }
    }

    @Override
    protected void hookOnError(Throwable failure) {
      if (this == source) {
        fail(failure);
      }
    }
  }
}
