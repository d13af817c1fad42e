package io.kvreactive.internal.store;

import io.kvreactive.internal.store.image.SortedImage;
import io.kvreactive.internal.store.memtable.Memtable;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The two memtables, the held snapshots, and the rule that connects them: a frozen memtable is
 * written to the image only when no held snapshot is older than it. So no reader ever looks up a
 * key in the image while it is being changed. Thread-safe.
 */
final class MemtableSet {
  private SortedImage image;
  private final LongSupplier clock;
  private final Runnable writeFrozen;

  // the held snapshots, a list in the order of their versions
  private @Nullable StoreSnapshot oldest;
  private @Nullable StoreSnapshot newest;
  private int heldCount;

  private Memtable active;
  private @Nullable Memtable frozen;
  private long frozenVersion;
  private volatile boolean waiting; // written by the lock's holder
  private final long recovered;
  private long visible;

  /**
   * Creates the set.
   *
   * @param active the initial active memtable
   * @param frozen the initial frozen memtable, or null
   * @param frozenVersion the last version of the frozen memtable
   * @param visible the initial version of readers
   * @param clock the time of readers, in milliseconds since 1970
   * @param writeFrozen called once per frozen memtable when it may be written to the image; must
   *     only hand the work to another thread
   */
  MemtableSet(
      SortedImage image,
      Memtable active,
      @Nullable Memtable frozen,
      long frozenVersion,
      long visible,
      LongSupplier clock,
      Runnable writeFrozen) {
    this.image = image;
    this.clock = clock;
    this.active = active;
    this.frozen = frozen;
    this.frozenVersion = frozenVersion;
    this.waiting = frozen != null;
    this.recovered = visible;
    this.visible = visible;
    this.writeFrozen = writeFrozen;
  }

  /** Returns the initial version of readers. */
  long recovered() {
    return recovered;
  }

  synchronized StoreSnapshot snapshot() {
    StoreSnapshot snapshot = new StoreSnapshot(this, view(visible));
    StoreSnapshot before = newest;
    if (before == null) {
      oldest = snapshot;
    } else {
      before.newer = snapshot;
      snapshot.older = before;
    }
    newest = snapshot;
    heldCount++;
    return snapshot;
  }

  /** Returns the state that the store thread sees: everything, answered or not. */
  synchronized StoreView latest() {
    return view(Long.MAX_VALUE);
  }

  private StoreView view(long version) {
    return new StoreView(version, active, frozen, image, clock.getAsLong());
  }

  synchronized long visible() {
    return visible;
  }

  synchronized void publish(long version) {
    visible = version;
  }

  /** Returns the oldest version that a reader has or may get. */
  synchronized long oldestNeeded() {
    StoreSnapshot first = oldest;
    return first == null ? visible : first.version();
  }

  /**
   * The held snapshots.
   *
   * @param count their number
   * @param oldestMillis the time of the oldest one; 0 if there is none
   * @param lag the number of versions after the oldest one
   */
  record Held(int count, long oldestMillis, long lag) {}

  synchronized Held held() {
    StoreSnapshot first = oldest;
    return first == null
        ? new Held(0, 0, 0)
        : new Held(heldCount, first.millis(), visible - first.version());
  }

  synchronized @Nullable Memtable frozen() {
    return frozen;
  }

  synchronized long frozenVersion() {
    return frozenVersion;
  }

  /** Freezes the active memtable and starts a new one. All of the old one must be visible. */
  void rotate() {
    synchronized (this) {
      if (frozen != null) {
        throw new IllegalStateException("a memtable is already frozen");
      }
      frozen = active;
      frozenVersion = visible;
      active = new Memtable();
      waiting = true;
    }
    writeFrozenIfUnneeded();
  }

  /** Releases the frozen memtable after it was written to the image. */
  synchronized void release() {
    frozen = null;
  }

  /** Replaces the image for later snapshots by another one with the same content. */
  synchronized void replace(SortedImage by) {
    image = by;
  }

  /** Ends the snapshots that prevent the writing of the frozen memtable. */
  void endOldSnapshots() {
    synchronized (this) {
      StoreSnapshot next = oldest;
      while (next != null && next.version() < frozenVersion) {
        StoreSnapshot snapshot = next;
        next = snapshot.newer;
        if (snapshot.end()) {
          drop(snapshot);
        }
      }
    }
    writeFrozenIfUnneeded();
  }

  /** Removes a snapshot that is unused. Idempotent. */
  void remove(StoreSnapshot snapshot) {
    synchronized (this) {
      drop(snapshot);
    }
    writeFrozenIfUnneeded();
  }

  private void drop(StoreSnapshot snapshot) {
    if (!snapshot.drop()) {
      return;
    }
    StoreSnapshot before = snapshot.older;
    StoreSnapshot after = snapshot.newer;
    if (before == null) {
      oldest = after;
    } else {
      before.newer = after;
    }
    if (after == null) {
      newest = before;
    } else {
      after.older = before;
    }
    snapshot.older = null;
    snapshot.newer = null;
    heldCount--;
  }

  /** Requests the writing of the frozen memtable, if there is one and no reader needs it. */
  void writeFrozenIfUnneeded() {
    if (!waiting) {
      return;
    }
    synchronized (this) {
      if (!waiting || oldestNeeded() < frozenVersion) {
        return;
      }
      waiting = false;
    }
    writeFrozen.run();
  }
}
