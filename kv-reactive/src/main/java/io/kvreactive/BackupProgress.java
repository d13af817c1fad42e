package io.kvreactive;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a backup.
 *
 * @param entries the number of entries copied, including the store's internal ones
 * @param bytes the size of their encoded keys and values
 * @param versionstamp the last commit in the backup, which contains every commit up to this one and
 *     none after it; null until the backup is complete
 * @param elapsed the time since the subscription
 */
public record BackupProgress(
    long entries, long bytes, @Nullable Versionstamp versionstamp, Duration elapsed) {
  /** Returns true if this is the last element: the backup is complete and durable. */
  public boolean isDone() {
    return versionstamp != null;
  }
}
