package io.kvreactive;

import java.time.Duration;

/**
 * The progress of a load. The records counted, from the beginning of the load, are committed.
 *
 * @param entries the number of records stored
 * @param bytes the size of their encoded keys and values
 * @param versionstamp the newest commit
 * @param elapsed the time since the subscription
 */
public record LoadProgress(long entries, long bytes, Versionstamp versionstamp, Duration elapsed) {
  /** Returns the mean number of entries per second. */
  public double entriesPerSecond() {
    return entries * 1e9 / Math.max(1, elapsed.toNanos());
  }
}
