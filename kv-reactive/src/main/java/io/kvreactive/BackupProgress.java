package io.kvreactive;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How far a backup has come.
 *
 * @param entries that have been copied, with those that the store keeps for itself
 * @param bytes of their encoded keys and values
 * @param versionstamp what the backup is of: it has every commit up to this one and none behind;
 *     null until it is whole
 * @param elapsed time since the subscription
 */
public record BackupProgress(
    long entries, long bytes, @Nullable Versionstamp versionstamp, Duration elapsed) {
  /** Returns true if this is the last progress: the backup is whole and durable. */
  public boolean isDone() {
    return versionstamp != null;
  }
}
