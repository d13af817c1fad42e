package io.kvreactive.web.internal.stream;

import io.kvreactive.Kv;
import io.kvreactive.Versionstamp;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * A subscription to a change feed, which may begin with a list.
 *
 * <p>The changes are resumed after the last sent commit. Thus a slow client costs only its position
 * in the log.
 *
 * @param <E> an update: a listed entry, or a commit
 */
abstract class FeedSubscription<E> extends FluxSubscription<E> {
  /** The estimated memory of an update besides its keys and values. */
  static final int OBJECT_BYTES = 100;

  private static final int MAX_PREFETCH = 256;
  private static final int USUAL_BYTES = 4 << 10;

  /**
   * The assumed size of a listed entry until the actual size is known. A list cannot be cancelled
   * and resumed as a feed can, so few entries are requested first.
   */
  private static final int UNKNOWN_BYTES = 32 << 10;

  private final Kv kv;
  private @Nullable Versionstamp last; // the version up to which everything was sent
  private boolean listing;
  private boolean starting;

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
    super(socket, asked, true, listing ? UNKNOWN_BYTES : USUAL_BYTES);
    this.kv = kv;
    this.listing = listing;
    this.last = since;
  }

  /**
   * Returns the updates after {@code since}.
   *
   * @param since null for a list and the changes after it
   */
  abstract Flux<E> updates(@Nullable Versionstamp since);

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

  @Override
  final int mostAhead() {
    return MAX_PREFETCH;
  }

  @Override
  final boolean mayRequest() {
    if (listing && (socket.held().isFull() || !hasStanding())) {
      socket.held().waitFor(this);
      return false;
    }
    return !starting;
  }

  @Override
  final @Nullable Flux<E> elements() {
    if (!listing && last == null) {
      readNewestVersion();
      return null;
    }
    return updates(resumeFrom());
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
      send();
      wantTurn();
    }
  }

  @Override
  final boolean isListing() {
    return listing;
  }

  @Override
  final boolean reads() {
    return listing && awaits();
  }

  @Override
  final @Nullable Versionstamp resumeFrom() {
    return listing ? null : last;
  }
}
