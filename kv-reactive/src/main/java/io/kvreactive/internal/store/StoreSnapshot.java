package io.kvreactive.internal.store;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import org.jspecify.annotations.Nullable;

/**
 * Holds the history that a reader needs. While one is held, the store keeps in memory what commits
 * after it; a snapshot that would make it keep more than its budget is ended, and its next {@link
 * #enter} fails with SNAPSHOT_TOO_OLD. Thread-safe.
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

  /** Returns the version that is read. */
  public long version() {
    return version;
  }

  /** When it was taken, milliseconds since 1970. */
  long millis() {
    return millis;
  }

  /**
   * Starts a read; {@link #leave} ends it. Reads are short: a page, not a list.
   *
   * @throws KvException SNAPSHOT_TOO_OLD when the store could not keep the history
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

  /** Gives the history up. Idempotent. */
  @Override
  public void close() {
    memtables.close(this);
  }
}
