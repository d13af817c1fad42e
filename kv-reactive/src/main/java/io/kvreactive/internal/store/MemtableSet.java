package io.kvreactive.internal.store;

import io.kvreactive.internal.store.image.SortedImage;
import io.kvreactive.internal.store.memtable.Memtable;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Set;
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
  private final Set<StoreSnapshot> held = new LinkedHashSet<>(); // ordered by version

  private Memtable active;
  private @Nullable Memtable frozen;
  private long frozenVersion;
  private boolean waiting;
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
    held.add(snapshot);
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
    for (StoreSnapshot snapshot : held) {
      return snapshot.version();
    }
    return visible;
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
    for (StoreSnapshot oldest : held) {
      return new Held(held.size(), oldest.millis(), visible - oldest.version());
    }
    return new Held(0, 0, 0);
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
      for (StoreSnapshot snapshot : new ArrayList<>(held)) {
        if (snapshot.version() < frozenVersion) {
          snapshot.ended = true;
          removeIfUnused(snapshot);
        }
      }
    }
    writeFrozenIfUnneeded();
  }

  synchronized @Nullable StoreView enter(StoreSnapshot snapshot) {
    if (snapshot.ended || snapshot.closed) {
      return null;
    }
    snapshot.users++;
    return snapshot.view;
  }

  void leave(StoreSnapshot snapshot) {
    synchronized (this) {
      snapshot.users--;
      removeIfUnused(snapshot);
    }
    writeFrozenIfUnneeded();
  }

  void close(StoreSnapshot snapshot) {
    synchronized (this) {
      snapshot.closed = true;
      removeIfUnused(snapshot);
    }
    writeFrozenIfUnneeded();
  }

  private void removeIfUnused(StoreSnapshot snapshot) {
    if (snapshot.users == 0 && (snapshot.ended || snapshot.closed)) {
      held.remove(snapshot);
      snapshot.view = null; // a reference to the snapshot must not keep the memtables
    }
  }

  /** Requests the writing of the frozen memtable, if there is one and no reader needs it. */
  void writeFrozenIfUnneeded() {
    synchronized (this) {
      if (!waiting || oldestNeeded() < frozenVersion) {
        return;
      }
      waiting = false;
    }
    writeFrozen.run();
  }
}
