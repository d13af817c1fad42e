package io.kvreactive.postgres.internal;

import io.kvreactive.Versionstamp;
import io.kvreactive.spi.KvEngine;
import java.util.Set;

/**
 * A version that reads share. It holds nothing in the database: changes younger than {@code
 * PostgresOptions.snapshotAge} are never dropped, and a read behind them fails with
 * SNAPSHOT_TOO_OLD.
 */
final class PostgresSnapshot implements KvEngine.Snapshot {
  final long version;

  /** The server's time, by which entries have expired for all reads of this snapshot. */
  final long millis;

  final long openedNanos = System.nanoTime();
  private final Set<PostgresSnapshot> open;

  /**
   * @param open the snapshots that are open; thread-safe
   */
  PostgresSnapshot(long version, long millis, Set<PostgresSnapshot> open) {
    this.version = version;
    this.millis = millis;
    this.open = open;
    open.add(this);
  }

  @Override
  public Versionstamp versionstamp() {
    return Versionstamp.of(version);
  }

  @Override
  public void close() {
    open.remove(this);
  }
}
