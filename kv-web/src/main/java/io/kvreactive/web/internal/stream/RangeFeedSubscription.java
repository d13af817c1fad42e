package io.kvreactive.web.internal.stream;

import io.kvreactive.ChangesOptions;
import io.kvreactive.Kv;
import io.kvreactive.KvCommit;
import io.kvreactive.KvType;
import io.kvreactive.KvUpdate;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.web.internal.feed.ChangeSize;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/** A subscription to the changes of a range, optionally preceded by its entries. */
final class RangeFeedSubscription extends FeedSubscription<KvUpdate<KvValue>> {
  private static final KvType<KvValue> VALUES = KvType.of(KvValue.class);

  private final Kv kv;
  private final ClientFrame.Changes requested;
  private final ChangesOptions options;

  RangeFeedSubscription(StreamSocket socket, ClientFrame.Changes requested, Kv kv) {
    super(socket, requested, kv, requested.list(), requested.since());
    this.kv = kv;
    this.requested = requested;
    this.options = ChangesOptions.DEFAULT.withOldValues(requested.oldValues());
  }

  @Override
  Flux<KvUpdate<KvValue>> updates(@Nullable Versionstamp since) {
    return since == null
        ? kv.listAndWatch(requested.range(), options, VALUES)
        : kv.changes(requested.range(), since, options, VALUES).map(KvUpdate.Committed::new);
  }

  @Override
  boolean isFree(KvUpdate<KvValue> update) {
    return update instanceof KvUpdate.Synced<KvValue>
        || update instanceof KvUpdate.Committed<KvValue> c && c.commit().isBookmark();
  }

  @Override
  int bytes(KvUpdate<KvValue> update) {
    if (update instanceof KvUpdate.Listed<KvValue> listed) {
      KvValue value = listed.entry().value();
      int valueBytes = value == null ? 0 : value.bytes().length;
      return OBJECT_BYTES + listed.entry().key().bytes().length + valueBytes;
    } else if (update instanceof KvUpdate.Committed<KvValue> committed) {
      return ChangeSize.of(committed.commit());
    }
    return OBJECT_BYTES;
  }

  @Override
  int writeNext() {
    if (peek() instanceof KvUpdate.Listed<KvValue>) {
      writeEntries();
    } else {
      write(remove());
    }
    return send();
  }

  private void writeEntries() {
    FrameWriter frames = socket.frames();
    frames.beginEntries(id);
    while (credit() > 0
        && frames.length() < StreamSocket.FRAME_BYTES
        && peek() instanceof KvUpdate.Listed<KvValue> listed) {
      remove();
      frames.entry(listed.entry());
      sent(1);
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
        sent(1);
        frames.commit(id, commit);
      }
      sentUpTo(commit.versionstamp());
    } else if (update instanceof KvUpdate.Synced<KvValue> synced) {
      endList(synced.versionstamp());
      frames.at(id, "listed", synced.versionstamp());
    }
  }
}
