package io.kvreactive.internal.store;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot: holds the history that a reader needs. While a snapshot is held, the store keeps the
 * commits after it in memory. A snapshot that exceeds the store's memory budget is ended, and its
 * next {@link #enter} fails with SNAPSHOT_TOO_OLD. Thread-safe.
 */
public final class StoreSnapshot implements AutoCloseable {
  private static final int ENDED = 1;
  private static final int READ = 2;

  private final MemtableSet memtables;
  private final long version;
  private final long millis;

  /**
   * Twice the number of reads that run, plus one after the end of the snapshot. The end and the
   * last read remove the snapshot.
   */
  private final AtomicInteger reads = new AtomicInteger();

  private volatile @Nullable StoreView view; // null after the snapshot was removed

  // neighbours among the held snapshots, guarded by memtables
  @Nullable StoreSnapshot older;
  @Nullable StoreSnapshot newer;

  StoreSnapshot(MemtableSet memtables, StoreView view) {
    this.memtables = memtables;
    this.version = view.version();
    this.millis = view.now();
    this.view = view;
  }

  /** Returns the version of the snapshot. */
  public long version() {
    return version;
  }

  /** Returns the time at which the snapshot was taken, in milliseconds since 1970. */
  long millis() {
    return millis;
  }

  /**
   * Starts a read; {@link #leave} ends it. Reads are short: a page, not a list.
   *
   * @throws KvException SNAPSHOT_TOO_OLD if the store could not keep the history
   */
  public StoreView enter() {
    StoreView entered = tryEnter();
    if (entered == null) {
      throw new KvException(
          KvErrorCode.SNAPSHOT_TOO_OLD,
          "the snapshot at version "
              + version()
              + " was released to free memory (expected: a shorter read, or a"
              + " larger memory budget); resume from the last key at a new snapshot");
    }
    return entered;
  }

  private @Nullable StoreView tryEnter() {
    int seen = reads.get();
    while ((seen & ENDED) == 0) {
      int witness = reads.compareAndExchange(seen, seen + READ);
      if (witness == seen) {
        return view;
      }
      seen = witness;
    }
    return null;
  }

  public void leave() {
    if (reads.addAndGet(-READ) == ENDED) {
      memtables.remove(this);
    }
  }

  /** Lets no further read begin. Returns true if none runs, so that the snapshot is unused. */
  boolean end() {
    return reads.updateAndGet(seen -> seen | ENDED) == ENDED;
  }

  /**
   * Drops the state: a reference to the snapshot must not keep the memtables. Returns false if the
   * state was dropped before. Called with the lock of memtables only.
   */
  boolean drop() {
    boolean isHeld = view != null;
    view = null;
    return isHeld;
  }

  /** Releases the snapshot, so that the history that it needs may be purged. Idempotent. */
  @Override
  public void close() {
    if (end()) {
      memtables.remove(this);
    }
  }
}
