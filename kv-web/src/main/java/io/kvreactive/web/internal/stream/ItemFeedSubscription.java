package io.kvreactive.web.internal.stream;

import io.kvreactive.Kv;
import io.kvreactive.Versionstamp;
import io.kvreactive.index.ChangeFeedOptions;
import io.kvreactive.index.DocumentCollection;
import io.kvreactive.index.Item;
import io.kvreactive.index.ItemChanges;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.web.internal.rest.RowText;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;

/**
 * A subscription to the changes of a collection's items.
 *
 * <p>Few commits are requested ahead of the connection. If the held commits exceed the memory of
 * the connection, the feed is cancelled. It is resumed after the last sent commit when there is
 * memory again.
 */
final class ItemFeedSubscription extends io.kvreactive.web.internal.stream.Subscription {
  private static final int MAX_PREFETCH = 256;
  private static final int BYTES_AHEAD = 128 << 10;
  private static final int OBJECT_BYTES = 100;

  private final Kv kv;
  private final DocumentCollection<RowText.Ascii> collection;
  private final ChangeFeedOptions options;
  private final Deque<ItemChanges<RowText.Ascii>> arrived = new ArrayDeque<>(0);
  private @Nullable Source source;
  private @Nullable Versionstamp last; // the version up to which everything was sent
  private boolean starting;
  private boolean completed;
  private int requested;
  private int heldBytes;
  private int usualBytes = 4 << 10; // moving average of a commit

  ItemFeedSubscription(
      StreamSocket socket,
      ClientFrame.CollectionChanges asked,
      Kv kv,
      DocumentCollection<RowText.Ascii> collection) {
    super(socket, asked);
    this.kv = kv;
    this.collection = collection;
    this.options = asked.options();
    this.last = asked.options().since();
  }

  @Override
  int turn() {
    int bytes = 0;
    while (bytes < StreamSocket.FRAME_BYTES && canWrite() && socket.hasRoom()) {
      bytes += write(removeHead());
    }
    if (ended()) {
      return bytes;
    }
    if (canWrite()) {
      wantTurn();
    } else if (completed && arrived.isEmpty()) {
      socket.end(this, null);
    } else {
      requestCommits();
    }
    return bytes;
  }

  private boolean canWrite() {
    ItemChanges<RowText.Ascii> head = arrived.peek();
    return head != null && (credit() > 0 || head.isBookmark());
  }

  private ItemChanges<RowText.Ascii> removeHead() {
    ItemChanges<RowText.Ascii> head = arrived.remove();
    int bytes = bytes(head);
    heldBytes -= bytes;
    socket.held().give(bytes);
    return head;
  }

  private int write(ItemChanges<RowText.Ascii> commit) {
    if (commit.isBookmark()) {
      socket.frames().at(id, "bookmark", commit.versionstamp());
    } else {
      sent(1);
      socket.frames().itemChanges(id, commit);
    }
    last = commit.versionstamp();
    return socket.send();
  }

  private void requestCommits() {
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
      return; // commits are not requested one by one
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
    Versionstamp since = last;
    if (since == null) {
      readNewestVersion();
      return;
    }
    Source from = new Source();
    source = from;
    collection.changeFeed(options.withSince(since)).subscribe(from);
  }

  /**
   * Reads and sends the newest version, so that the client can resume even if no change follows.
   */
  private void readNewestVersion() {
    starting = true;
    var unused =
        kv.engine()
            .read(List.of(), null)
            .map(ReadResult::snapshot)
            .subscribe(
                newest -> socket.run(() -> start(newest)),
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

  private void take(ItemChanges<RowText.Ascii> commit) {
    requested--;
    int bytes = bytes(commit);
    usualBytes = Math.max(1, (int) ((7L * usualBytes + bytes) / 8));
    if (!socket.held().take(bytes)) {
      cancelFeed(); // resumed after the last sent commit when there is memory
      socket.held().waitFor(this);
      return;
    }
    arrived.add(commit);
    heldBytes += bytes;
    wantTurn();
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

  /** Returns the estimated size of a commit. */
  private static int bytes(ItemChanges<RowText.Ascii> commit) {
    long bytes = OBJECT_BYTES;
    for (ItemChanges.Change<RowText.Ascii> change : commit.changes()) {
      bytes += OBJECT_BYTES + bytes(change.previous());
      if (change instanceof ItemChanges.Change.Upsert<RowText.Ascii> upsert) {
        bytes += bytes(upsert.item());
      }
    }
    return (int) Math.min(Integer.MAX_VALUE, bytes);
  }

  private static int bytes(@Nullable Item<RowText.Ascii> item) {
    return item == null ? 0 : item.value().json().length();
  }

  @Override
  boolean reads() {
    return false;
  }

  @Override
  void release() {
    cancelFeed();
  }

  @Override
  @Nullable Versionstamp resumeFrom() {
    return last;
  }

  /**
   * The subscriber of the feed. It subscribes on the connection's context, so its signals come on
   * that context.
   */
  private final class Source extends BaseSubscriber<ItemChanges<RowText.Ascii>> {
    @Override
    protected void hookOnSubscribe(Subscription subscription) {
      // requests are made in turns
    }

    @Override
    protected void hookOnNext(ItemChanges<RowText.Ascii> commit) {
      if (this == source) {
        take(commit);
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
