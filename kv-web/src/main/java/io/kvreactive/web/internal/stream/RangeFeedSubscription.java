package io.kvreactive.web.internal.stream;

import io.kvreactive.ChangesOptions;
import io.kvreactive.Kv;
import io.kvreactive.KvCommit;
import io.kvreactive.KvUpdate;
import io.kvreactive.KvValue;
import io.kvreactive.web.internal.feed.Feed;
import org.jspecify.annotations.Nullable;

/** A subscription to the changes of a range, optionally preceded by its entries. */
final class RangeFeedSubscription extends FeedSubscription<KvUpdate<KvValue>> {
  RangeFeedSubscription(StreamSocket socket, ClientFrame.Changes requested, Kv kv) {
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
    return next != null && next.value() instanceof KvUpdate.Listed<KvValue> listed ? listed : null;
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
