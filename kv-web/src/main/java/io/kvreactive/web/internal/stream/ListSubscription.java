package io.kvreactive.web.internal.stream;

import static java.util.Objects.requireNonNull;

import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.internal.shared.CancellableSubscriber;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.StoredEntry;
import io.kvreactive.web.internal.rest.EntryPages;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * A list, read page by page. One page is written while the next is read. A page is requested only
 * within the credit, and none while the connection accepts nothing.
 */
final class ListSubscription extends Subscription {
  private static final int FIRST_ENTRIES = 32;
  private static final int GROWTH = 4;
  private static final int PAGE_BYTES = 128 << 10;

  private final KvRange range;
  private final EntryPages rest;
  private final int mostEntries;
  private final ArrayDeque<EntryPages.Page> pages = new ArrayDeque<>(2);
  private final Disposable.Swap reading = Disposables.swap();
  private int batch = FIRST_ENTRIES;
  private boolean isReading;
  private int at; // index of the next entry of the first page
  private @Nullable String cursor;

  ListSubscription(StreamSocket socket, ClientFrame.ListRange list, KvEngine engine) {
    super(socket, list);
    this.range = list.range();
    this.mostEntries = engine.limits().maxBatchSize() - 1;
    this.rest = EntryPages.range(engine, range, list.options(), list.options().limit(), true);
  }

  @Override
  int turn() {
    read();
    EntryPages.Page page = pages.peek();
    int bytes = page == null ? 0 : write(page);
    if (!pages.isEmpty()) {
      wantTurn();
    } else if (!isReading) {
      boolean hadPermit = hasPermit();
      socket.lists().release(this);
      if (rest.done()) {
        socket.end(this, rest.resumeAfter() == null ? null : cursor);
      } else if (hadPermit && demand() > 0) {
        wantTurn(); // after the subscriptions that wait for a permit
      }
    }
    return bytes;
  }

  private int write(EntryPages.Page page) {
    int begin = at;
    List<@Nullable StoredEntry> entries = page.entries();
    FrameWriter frames = socket.frames();
    frames.beginEntries(id);
    while (at < entries.size() && frames.length() < StreamSocket.FRAME_BYTES) {
      frames.entry(requireNonNull(entries.get(at++)));
    }
    int count = at - begin;
    if (count > 0) {
      cursor = range.cursorAfter(KvKey.fromEncoded(requireNonNull(entries.get(at - 1)).key()));
    }
    if (at == entries.size()) {
      pages.remove();
      at = 0;
      socket.held().give(held(page));
    }
    if (count == 0) {
      return 0;
    }
    frames.endEntries(page.version(), cursor);
    sent(count);
    return send();
  }

  /** Starts reading a page if the credit exceeds the number of entries that have been read. */
  private void read() {
    EntryPages.Page page = pages.peek();
    long wanted = demand() - (page == null ? 0 : page.entries().size() - at);
    if (isReading || pages.size() == 2 || rest.done() || wanted <= 0) {
      return;
    }
    if (socket.held().isWaiting(this)) {
      return;
    }
    if (hasPermit() && socket.lists().othersWait()) {
      return; // others read after this page
    }
    if (socket.lists().take(this)) {
      isReading = true;
      reading.update(
          CancellableSubscriber.receive(
              rest.next((int) Math.min(wanted, batch), PAGE_BYTES),
              this::accept,
              failure -> socket.run(() -> fail(failure))));
    }
  }

  /** Returns the size of a page: at least 1, so that its release wakes this subscription. */
  private static long held(EntryPages.Page page) {
    return 1 + page.bytes();
  }

  /** Accepts a page on a thread of the engine. */
  private void accept(EntryPages.Page page) {
    if (socket.held().take(held(page))) {
      socket.run(() -> arrived(page));
    } else {
      socket.run(() -> rejected(held(page)));
    }
  }

  /** Records that there was no memory for a page. A smaller one is read when there is some. */
  private void rejected(long bytes) {
    if (ended()) {
      socket.held().wakeIfNothingWill();
    } else {
      isReading = false;
      socket.lists().release(this);
      int smaller = Math.max(1, batch / GROWTH);
      socket.held().waitFor(this, Math.max(1, bytes * smaller / batch));
      batch = smaller;
    }
  }

  private void arrived(EntryPages.Page page) {
    if (ended()) {
      socket.held().give(held(page));
      return;
    }
    isReading = false;
    socket.held().giveBackGrantOf(this);
    rest.advance(page);
    pages.add(page);
    adapt(page);
    wantTurn();
  }

  /**
   * Adapts the number of entries of a page to about 128 KiB: large enough to be worth a read, small
   * enough to be held. Remote engines may return more bytes than requested.
   */
  private void adapt(EntryPages.Page page) {
    int entries = page.entries().size();
    long fitting =
        entries == 0 ? batch : Math.max(1, (long) PAGE_BYTES * entries / (1 + page.dataBytes()));
    batch = (int) Math.max(1, Math.min(fitting, Math.min((long) batch * GROWTH, mostEntries)));
  }

  @Override
  boolean reads() {
    return isReading;
  }

  @Override
  void release() {
    reading.dispose();
    socket.lists().release(this);
    pages.forEach(page -> socket.held().give(held(page)));
    pages.clear();
    rest.close();
  }
}
