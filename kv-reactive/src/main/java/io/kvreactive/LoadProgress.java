package io.kvreactive;

import java.time.Duration;

/**
 * How far a load has come: everything up to here, counted from its beginning, is durable.
 *
 * @param entries records that are stored
 * @param bytes of their encoded keys and values
 * @param versionstamp the newest commit
 * @param elapsed time since the subscription
 */
public record LoadProgress(long entries, long bytes, Versionstamp versionstamp, Duration elapsed) {
  /** Entries per second on average. */
  public double entriesPerSecond() {
    return entries * 1e9 / Math.max(1, elapsed.toNanos());
  }
}
