package io.kvreactive.web.internal.stream;

import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.Versionstamp;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.StoredEntry;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * A list, read page by page. One page is written while the next is read. A page is requested only
 * within the credit.
 *
 * <p>The list reads from the engine instead of {@code kv.list}: stored bytes become JSON without
 * objects in between, and no page is read while the connection accepts nothing.
 */
final class ListSubscription extends Subscription {
  private static final int FIRST_ENTRIES = 32;
  private static final int GROWTH = 4;
  private static final int PAGE_BYTES = 128 << 10;

  private record Page(List<StoredEntry> entries, Versionstamp snapshot, long bytes) {}

  private final KvEngine engine;
  private final KvRange range;
  private final boolean reverse;
  private final boolean keysOnly;
  private final boolean atOneVersion;
  private final Disposable.Swap reading = Disposables.swap();
  private byte[] start;
  private byte[] end;
  private long remaining;
  private int batch = FIRST_ENTRIES;
  private boolean allRead;
  private boolean more; // entries after those read

  private KvEngine.@Nullable Snapshot snapshot;
  private boolean isReading;
  private boolean hasPermit;
  private @Nullable Page next;
  private @Nullable Page page;
  private int at; // index of the next entry of the page
  private @Nullable String cursor;

  ListSubscription(StreamSocket socket, ClientFrame.ListRange list, KvEngine engine) {
    super(socket, list);
    KvRange rest = list.range().resume(list.cursor(), list.reverse());
    this.engine = engine;
    this.range = list.range();
    this.reverse = list.reverse();
    this.keysOnly = list.keysOnly();
    this.atOneVersion = list.snapshot();
    this.start = rest.startBytes();
    this.end = rest.endBytes();
    this.remaining = list.limit();
  }

  @Override
  int turn() {
    if (page == null) {
      page = next;
      next = null;
      at = 0;
    }
    read();
    int bytes = 0;
    Page current = page;
    if (current != null) {
      bytes = write(current.entries(), current.snapshot());
    }
    if (page != null || next != null) {
      wantTurn();
    } else if (!isReading) {
      boolean hadPermit = hasPermit;
      releasePermit();
      if (allRead) {
        socket.end(this, more ? cursor : null);
      } else if (hadPermit && credit() > 0) {
        wantTurn(); // after the subscriptions that wait for a permit
      }
    }
    return bytes;
  }

  private int write(List<StoredEntry> entries, Versionstamp version) {
    int count = 0;
    FrameWriter frames = socket.frames();
    frames.beginEntries(id);
    while (at < entries.size() && frames.length() < StreamSocket.FRAME_BYTES) {
      frames.entry(entries.get(at++));
      count++;
    }
    if (at == entries.size()) {
      dropPage();
    }
    if (count == 0) {
      return 0;
    }
    cursor = range.cursorAfter(KvKey.fromEncoded(entries.get(at - 1).key()));
    frames.endEntries(version, cursor);
    sent(count);
    return socket.send();
  }

  private void dropPage() {
    Page done = page;
    page = null;
    socket.held().give(done == null ? 0 : done.bytes());
  }

  /** Starts reading a page if the credit exceeds the number of entries that have been read. */
  private void read() {
    Page current = page;
    long unwritten = current == null ? 0 : current.entries().size() - at;
    long wanted = Math.min(credit() - unwritten, remaining);
    if (isReading || next != null || allRead || wanted <= 0) {
      return;
    }
    if (hasPermit && socket.lists().othersWait()) {
      return; // others read after this page
    }
    if (!hasPermit && !socket.lists().mayRead(this)) {
      return;
    }
    hasPermit = true;
    isReading = true;
    if (atOneVersion && snapshot == null) {
      openSnapshot();
    } else {
      page((int) Math.min(wanted, batch));
    }
  }

  private void releasePermit() {
    if (hasPermit) {
      hasPermit = false;
      socket.lists().hasRead();
    }
  }

  private void openSnapshot() {
    var unused = // never disposed: a snapshot that arrives late must be closed
        engine
            .snapshot()
            .subscribe(
                held -> socket.run(() -> held(held)), failure -> socket.run(() -> fail(failure)));
  }

  private void held(KvEngine.Snapshot held) {
    if (ended()) {
      held.close();
      return;
    }
    snapshot = held;
    isReading = false;
    wantTurn();
  }

  private void page(int limit) {
    ReadRange asked = new ReadRange(start, end, limit + 1, reverse, keysOnly);
    reading.update(
        engine
            .read(List.of(asked), snapshot, PAGE_BYTES)
            .subscribe(
                result -> accept(result, limit), failure -> socket.run(() -> fail(failure))));
  }

  /** Accepts a page on a thread of the engine. */
  private void accept(ReadResult result, int limit) {
    long bytes = 1 + result.bytes(); // at least 1, so that its release wakes this subscription
    if (socket.held().take(bytes)) {
      socket.run(() -> arrived(result, limit, bytes));
    } else {
      socket.run(this::rejected);
    }
  }

  /** Records that there was no memory for a page. The page is read again when there is memory. */
  private void rejected() {
    if (!ended()) {
      isReading = false;
      releasePermit();
      batch = Math.max(1, batch / GROWTH);
      socket.held().waitFor(this);
    }
  }

  private void arrived(ReadResult result, int limit, long bytes) {
    if (ended()) {
      socket.held().give(bytes);
      return;
    }
    isReading = false;
    RangePage read = result.pages().get(0);
    List<StoredEntry> entries = read.entries();
    byte[] last = read.resumeAfter();
    if (entries.size() > limit) { // the additional entry shows that more entries follow
      entries = entries.subList(0, limit);
      last = entries.get(limit - 1).key();
    }
    next = new Page(entries, result.snapshot(), bytes);
    remaining -= entries.size();
    more = last != null;
    if (last == null || remaining == 0) {
      allRead = true;
    } else if (reverse) {
      end = last;
    } else {
      start = Arrays.copyOf(last, last.length + 1);
    }
    adapt(entries);
    wantTurn();
  }

  /**
   * Adapts the number of entries of a page to about 128 KiB: large enough to be worth a read, small
   * enough to be held.
   */
  private void adapt(List<StoredEntry> entries) {
    long bytes = 1;
    for (StoredEntry entry : entries) {
      bytes += entry.bytes();
    }
    long fitting =
        entries.isEmpty() ? batch : Math.max(1, (long) PAGE_BYTES * entries.size() / bytes);
    long most = Math.min((long) batch * GROWTH, engine.limits().maxBatchSize() - 1);
    batch = (int) Math.max(1, Math.min(fitting, most));
  }

  @Override
  boolean reads() {
    return isReading;
  }

  @Override
  void release() {
    reading.dispose();
    releasePermit();
    dropPage();
    page = next;
    next = null;
    dropPage();
    KvEngine.Snapshot held = snapshot;
    snapshot = null;
    if (held != null) {
      held.close();
    }
  }
}
