package io.kvreactive.internal.store;

import io.kvreactive.internal.store.image.SortedImage;
import io.kvreactive.internal.store.memtable.Memtable;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The two memtables in memory, the snapshots that are held, and the rule that binds them: a frozen
 * memtable is written to the image only when no held snapshot is older than it. So no reader ever
 * asks the image for a key that is being changed. Thread-safe.
 */
final class MemtableSet {
  private SortedImage image;
  private final LongSupplier clock;
  private final Runnable writeFrozen;
  private final Set<StoreSnapshot> held = new LinkedHashSet<>(); // in the order of their versions

  private Memtable active;
  private @Nullable Memtable frozen;
  private long frozenVersion;
  private boolean waiting;
  private final long recovered;
  private long visible;

  /**
   * @param active what is newest at first
   * @param frozen what is between that and the image at first, or null if there is nothing
   * @param frozenVersion its last version
   * @param visible the version that readers see first
   * @param clock what readers take the time from, milliseconds since 1970
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

  /** Returns the version that readers saw first. */
  long recovered() {
    return recovered;
  }

  synchronized StoreSnapshot snapshot() {
    StoreSnapshot snapshot = new StoreSnapshot(this, view(visible));
    held.add(snapshot);
    return snapshot;
  }

  /** What the store thread itself sees: everything, answered or not. */
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
   * Which snapshots are held.
   *
   * @param count how many
   * @param oldestMillis the time of the oldest one; 0 when there is none
   * @param lag versions after it
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

  /** Starts a new active memtable. All of the old one must be visible. */
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

  /** Forgets the frozen memtable: the image has it. */
  synchronized void release() {
    frozen = null;
  }

  /** Shows another image with the same content to snapshots from now on. */
  synchronized void replace(SortedImage by) {
    image = by;
  }

  /** Ends the snapshots that keep the frozen memtable from the image. */
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
      snapshot.view = null; // whoever still has the snapshot must not keep the memtables
    }
  }

  /** Has the frozen memtable written to the image, if there is one and no reader needs it. */
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
