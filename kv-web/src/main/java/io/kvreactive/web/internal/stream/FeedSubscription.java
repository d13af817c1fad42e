package io.kvreactive.web.internal.stream;

import io.kvreactive.ChangesOptions;
import io.kvreactive.Kv;
import io.kvreactive.KvCommit;
import io.kvreactive.KvUpdate;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.ItemChanges;
import io.kvreactive.internal.shared.CancellableSubscriber;
import io.kvreactive.web.internal.feed.Feed;
import io.kvreactive.web.internal.rest.RowText;
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
abstract class FeedSubscription<E> extends FluxSubscription<Feed.Update<E>> {
  private static final int MAX_PREFETCH = 256;
  private static final int USUAL_BYTES = 4 << 10;

  /**
   * The assumed size of a listed entry until the actual size is known. A list cannot be cancelled
   * and resumed as a feed can, so few entries are requested first.
   */
  private static final int UNKNOWN_BYTES = 32 << 10;

  private final Kv kv;
  private final Feed<E> feed;
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
      ClientFrame.Open request,
      Kv kv,
      Feed<E> feed,
      boolean listing,
      @Nullable Versionstamp since) {
    super(socket, request, true, listing ? UNKNOWN_BYTES : USUAL_BYTES);
    this.kv = kv;
    this.feed = feed;
    this.listing = listing;
    this.last = since;
  }

  @Override
  final int bytes(Feed.Update<E> update) {
    return update.bytes();
  }

  @Override
  final boolean isFree(Feed.Update<E> update) {
    return update.isPosition();
  }

  /** Removes the next update, which is sent now. */
  final E removeSent() {
    Feed.Update<E> update = remove();
    if (!update.isPosition()) {
      sent(1);
    }
    Versionstamp reached = update.position();
    if (reached != null) {
      last = reached;
      if (listing) {
        listing = false;
        giveStanding();
      }
    }
    return update.value();
  }

  // ---- requesting

  @Override
  final int mostAhead() {
    return MAX_PREFETCH;
  }

  @Override
  final boolean mayRequest() {
    return !starting && (!listing || !waitsIfFull() && hasStanding());
  }

  @Override
  final @Nullable Flux<Feed.Update<E>> elements() {
    if (!listing && last == null) {
      readNewestVersion();
      return null;
    }
    return feed.after(resumeFrom());
  }

  /**
   * Reads and sends the newest version, so that the client can resume even if no change follows.
   */
  private void readNewestVersion() {
    starting = true;
    var unused =
        CancellableSubscriber.receive(
            Feed.newest(kv),
            newest -> socket.run(() -> start(newest)),
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
    return awaits() && (listing || socket.held().isServed(this));
  }

  @Override
  final @Nullable Versionstamp resumeFrom() {
    return listing ? null : last;
  }

  /** A subscription to the changes of a range, optionally preceded by its entries. */
  static final class OfRange extends FeedSubscription<KvUpdate<KvValue>> {
    OfRange(StreamSocket socket, ClientFrame.Changes requested, Kv kv) {
      super(
          socket,
          requested,
          kv,
          Feed.range(
              kv, requested.range(), ChangesOptions.DEFAULT.withOldValues(requested.oldValues())),
          requested.list(),
          requested.since());
    }

    @Override
    int writeNext() {
      if (nextListed() != null) {
        writeEntries();
      } else {
        write(removeSent());
      }
      return send();
    }

    private KvUpdate.@Nullable Listed<KvValue> nextListed() {
      Feed.Update<KvUpdate<KvValue>> next = peek();
      return next != null && next.value() instanceof KvUpdate.Listed<KvValue> listed
          ? listed
          : null;
    }

    private void writeEntries() {
      FrameWriter frames = socket.frames();
      frames.beginEntries(id);
      KvUpdate.Listed<KvValue> listed = nextListed();
      while (listed != null && credit() > 0 && frames.length() < StreamSocket.FRAME_BYTES) {
        frames.entry(listed.entry());
        var unused = removeSent();
        listed = nextListed();
      }
      frames.endEntries(null, null);
    }

    private void write(KvUpdate<KvValue> update) {
      FrameWriter frames = socket.frames();
      if (update instanceof KvUpdate.Committed<KvValue> committed) {
        KvCommit<KvValue> commit = committed.commit();
        if (commit.isBookmark()) {
          frames.at(id, "bookmark", commit.versionstamp());
        } else {
          frames.commit(id, commit);
        }
      } else if (update instanceof KvUpdate.Synced<KvValue> synced) {
        frames.at(id, "listed", synced.versionstamp());
      }
    }
  }

  /** A subscription to the changes of a collection's items. */
  static final class OfItems extends FeedSubscription<ItemChanges<RowText.Ascii>> {
    OfItems(
        StreamSocket socket,
        ClientFrame.CollectionChanges requested,
        Kv kv,
        DocumentCollection<RowText.Ascii> collection) {
      super(
          socket,
          requested,
          kv,
          Feed.items(collection, requested.options(), item -> item.json().length()),
          false,
          requested.options().since());
    }

    @Override
    int writeNext() {
      ItemChanges<RowText.Ascii> commit = removeSent();
      if (commit.isBookmark()) {
        socket.frames().at(id, "bookmark", commit.versionstamp());
      } else {
        socket.frames().itemChanges(id, commit);
      }
      return send();
    }
  }
}
