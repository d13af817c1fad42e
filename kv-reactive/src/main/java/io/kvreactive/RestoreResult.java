package io.kvreactive;

import java.time.Instant;

/**
 * The outcome of a restore.
 *
 * @param versionstamp the last commit of the restored store
 * @param time the time of that commit; if nothing was committed during or after the backup, the
 *     start of the backup; by the clock of the store of the backup
 * @param commitsOfLog the number of commits from the log, after those of the backup
 */
public record RestoreResult(Versionstamp versionstamp, Instant time, long commitsOfLog) {}
