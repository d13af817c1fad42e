package io.kvreactive.internal.store;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot: holds the history that a reader needs. While a snapshot is held, the store keeps the
 * commits after it in memory. A snapshot that exceeds the store's memory budget is ended, and its
 * next {@link #enter} fails with SNAPSHOT_TOO_OLD. Thread-safe.
 */
public final class StoreSnapshot implements AutoCloseable {
  private final MemtableSet memtables;
  private final long version;
  private final long millis;

  // guarded by memtables
  @Nullable StoreView view;
  int users;
  boolean ended;
  boolean closed;

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
    StoreView entered = memtables.enter(this);
    if (entered == null) {
      throw new KvException(
          KvErrorCode.SNAPSHOT_TOO_OLD,
          "the snapshot at version "
              + version()
              + " was given up (expected: a shorter read, or a"
              + " larger memory budget); resume from the last key at a new snapshot");
    }
    return entered;
  }

  public void leave() {
    memtables.leave(this);
  }

  /** Releases the snapshot, so that the history that it needs may be purged. Idempotent. */
  @Override
  public void close() {
    memtables.close(this);
  }
}
