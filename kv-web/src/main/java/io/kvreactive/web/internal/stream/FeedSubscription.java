package io.kvreactive.web.internal.stream;

import io.kvreactive.ChangesOptions;
import io.kvreactive.Kv;
import io.kvreactive.KvCommit;
import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvType;
import io.kvreactive.KvUpdate;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.web.internal.feed.ChangeSize;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;

/**
 * A subscription to the changes of a range, optionally preceded by its entries.
 *
 * <p>Few commits are requested ahead of the connection. If the held commits exceed the memory of
 * the connection, the feed is cancelled. It is resumed after the last sent commit when there is
 * memory again. Thus a slow client costs only its position in the log.
 */
final class FeedSubscription extends io.kvreactive.web.internal.stream.Subscription {
  private static final KvType<KvValue> VALUES = KvType.of(KvValue.class);
  private static final int MAX_PREFETCH = 256;
  private static final int BYTES_AHEAD = 128 << 10;
  private static final int OBJECT_BYTES = 100;
  private static final int USUAL_BYTES = 4 << 10;

  /**
   * The assumed size of an entry until the actual size is known. A list cannot be cancelled and
   * resumed as a feed can, so few entries are requested first.
   */
  private static final int UNKNOWN_BYTES = 32 << 10;

  private final Kv kv;
  private final ClientFrame.Changes asked;
  private final ChangesOptions options;
  private final Deque<KvUpdate<KvValue>> arrived = new ArrayDeque<>(0);
  private @Nullable Source source;
  private @Nullable Versionstamp last; // the version up to which everything was sent
  private boolean listed;
  private boolean starting;
  private boolean completed;
  private int requested;
  private int heldBytes;
  private int usualBytes; // moving average of an update

  FeedSubscription(StreamSocket socket, ClientFrame.Changes changes, Kv kv) {
    super(socket, changes);
    this.kv = kv;
    this.asked = changes;
    this.options = ChangesOptions.DEFAULT.withOldValues(changes.oldValues());
    this.last = changes.since();
    this.listed = !changes.list();
    this.usualBytes = listed ? USUAL_BYTES : UNKNOWN_BYTES;
  }

  @Override
  int turn() {
    int bytes = write();
    if (ended()) {
      return bytes;
    }
    if (canWrite()) {
      wantTurn();
    } else if (completed && arrived.isEmpty()) {
      socket.end(this, null);
    } else {
      requestUpdates();
    }
    return bytes;
  }

  private boolean canWrite() {
    KvUpdate<KvValue> head = arrived.peek();
    return head != null && (credit() > 0 || isFree(head));
  }

  /** Returns true for an update that only reports the progress of the feed and costs no credit. */
  private static boolean isFree(KvUpdate<KvValue> update) {
    return update instanceof KvUpdate.Synced<KvValue>
        || update instanceof KvUpdate.Committed<KvValue> c && c.commit().isBookmark();
  }

  // ---- writing

  private int write() {
    int bytes = 0;
    while (bytes < StreamSocket.FRAME_BYTES && canWrite() && socket.hasRoom()) {
      KvUpdate<KvValue> head = arrived.element();
      if (head instanceof KvUpdate.Listed<KvValue>) {
        bytes += writeEntries();
      } else {
        releaseMemory(arrived.remove());
        bytes += write(head);
      }
    }
    return bytes;
  }

  private int write(KvUpdate<KvValue> update) {
    FrameWriter frames = socket.frames();
    if (update instanceof KvUpdate.Committed<KvValue> committed) {
      KvCommit<KvValue> commit = committed.commit();
      if (commit.isBookmark()) {
        frames.at(id, "bookmark", commit.versionstamp());
      } else {
        sent(1);
        frames.commit(id, commit);
      }
      if (listed) {
        last = commit.versionstamp();
      }
    } else if (update instanceof KvUpdate.Synced<KvValue> synced) {
      listed = true;
      last = synced.versionstamp();
      frames.at(id, "listed", synced.versionstamp());
    }
    return socket.send();
  }

  private int writeEntries() {
    FrameWriter frames = socket.frames();
    frames.beginEntries(id);
    while (credit() > 0
        && frames.length() < StreamSocket.FRAME_BYTES
        && arrived.peek() instanceof KvUpdate.Listed<KvValue> listedEntry) {
      releaseMemory(arrived.remove());
      KvEntry<KvValue> entry = listedEntry.entry();
      frames.entry(entry);
      sent(1);
    }
    frames.endEntries(null, null);
    return socket.send();
  }

  // ---- requesting

  private void requestUpdates() {
    int ahead = Math.max(1, Math.min(MAX_PREFETCH, BYTES_AHEAD / usualBytes));
    long wanted = Math.min(credit(), ahead) - requested - arrived.size();
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
    if (!listed && socket.held().isFull()) {
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

  private void begin() {
    Flux<KvUpdate<KvValue>> updates;
    if (!listed) {
      updates = kv.listAndWatch(asked.range(), options, VALUES);
    } else if (last == null) {
      readNewestVersion();
      return;
    } else {
      updates = kv.changes(asked.range(), last, options, VALUES).map(KvUpdate.Committed::new);
    }
    Source from = new Source();
    source = from;
    updates.subscribe(from);
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

  private void take(KvUpdate<KvValue> update) {
    requested--;
    int bytes = bytes(update);
    usualBytes = Math.max(listed ? 0 : bytes, (int) ((7L * usualBytes + bytes) / 8));
    if (!listed || last == null) {
      socket.held().add(bytes); // a list cannot be resumed, so its entries must be held
    } else if (!socket.held().take(bytes)) {
      cancelFeed(); // resumed after the last sent commit when there is memory
      socket.held().waitFor(this);
      return;
    }
    arrived.add(update);
    heldBytes += bytes;
    wantTurn();
  }

  private void releaseMemory(KvUpdate<KvValue> update) {
    int bytes = bytes(update);
    heldBytes -= bytes;
    socket.held().give(bytes);
  }

  private void cancelFeed() {
    Source from = source;
    source = null;
    requested = 0;
    arrived.clear();
    socket.held().give(heldBytes);
    heldBytes = 0;
    if (from != null) {
      from.cancel();
    }
  }

  /** Returns the estimated size of an update. */
  private static int bytes(KvUpdate<KvValue> update) {
    if (update instanceof KvUpdate.Listed<KvValue> listedEntry) {
      return OBJECT_BYTES + bytes(listedEntry.entry().key(), listedEntry.entry().value());
    } else if (update instanceof KvUpdate.Committed<KvValue> committed) {
      return ChangeSize.of(committed.commit());
    }
    return OBJECT_BYTES;
  }

  private static int bytes(KvKey key, @Nullable KvValue value) {
    return key.bytes().length + (value == null ? 0 : value.bytes().length);
  }

  @Override
  boolean isListing() {
    return !listed;
  }

  @Override
  boolean reads() {
    return !listed && requested > 0;
  }

  @Override
  void release() {
    cancelFeed();
  }

  @Override
  @Nullable Versionstamp resumeFrom() {
    return listed ? last : null;
  }

  /**
   * The subscriber of the feed. It subscribes on the connection's context, so its signals come on
   * that context.
   */
  private final class Source extends BaseSubscriber<KvUpdate<KvValue>> {
    @Override
    protected void hookOnSubscribe(Subscription subscription) {
      // requests are made in turns
    }

    @Override
    protected void hookOnNext(KvUpdate<KvValue> update) {
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
