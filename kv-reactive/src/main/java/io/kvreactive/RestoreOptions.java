package io.kvreactive;

import java.nio.file.Path;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Options of a restore. Immutable; start from {@link #DEFAULT}.
 *
 * @param log the directory of the store that the backup is of, or a copy of it, or null for none
 * @param untilVersionstamp the last commit to take of that log, or null for no such bound
 * @param untilTime when the last commit to take of that log was made at the latest, or null for no
 *     such bound
 */
public record RestoreOptions(
    @Nullable Path log, @Nullable Versionstamp untilVersionstamp, @Nullable Instant untilTime) {
  /** The default: the backup alone. */
  public static final RestoreOptions DEFAULT = new RestoreOptions(null, null, null);

  /**
   * @throws KvException INVALID_ARGUMENT for two bounds
   */
  public RestoreOptions {
    if (untilVersionstamp != null && untilTime != null) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          "until: " + untilVersionstamp + " and " + untilTime + " (expected: one of them)");
    }
  }

  /**
   * Returns these options with a log, whose commits after the backup are restored too, up to the
   * end of the log if no bound is set.
   *
   * @param directory of the store that the backup is of, which may be running, closed or dead; or a
   *     copy of it, of which the file {@code store} and the files of the log are needed. It is only
   *     read
   */
  public RestoreOptions withLog(Path directory) {
    return new RestoreOptions(directory, untilVersionstamp, untilTime);
  }

  /**
   * Returns these options with the last commit of the log to restore, instead of a bound in time.
   */
  public RestoreOptions until(Versionstamp last) {
    return new RestoreOptions(log, last, null);
  }

  /**
   * Returns these options with the time of the last commit of the log to restore, by the store's
   * clock, instead of a bound by versionstamp.
   */
  public RestoreOptions until(Instant time) {
    return new RestoreOptions(log, null, time);
  }
}
