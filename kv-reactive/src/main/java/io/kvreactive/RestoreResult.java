package io.kvreactive;

import java.time.Instant;

/**
 * What was restored.
 *
 * @param versionstamp the last commit that the restored store has
 * @param time when that was made, or, when nothing was committed during or after the backup, when
 *     the backup was begun; by the clock of the store that the backup is of
 * @param commitsOfLog how many commits came from the log, behind those of the backup
 */
public record RestoreResult(Versionstamp versionstamp, Instant time, long commitsOfLog) {}
