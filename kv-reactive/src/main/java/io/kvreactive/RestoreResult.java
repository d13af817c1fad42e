package io.kvreactive;

import java.time.Instant;

/**
 * The outcome of a restore.
 *
 * @param versionstamp the last commit that the restored store has
 * @param time when that was made, or, when nothing was committed during or after the backup, when
 *     the backup was begun; by the clock of the store that the backup is of
 * @param commitsOfLog the number of commits from the log, after those of the backup
 */
public record RestoreResult(Versionstamp versionstamp, Instant time, long commitsOfLog) {}
