package io.kvreactive;

import java.nio.file.Path;
import java.time.Instant;
import org.immutables.value.Value;
import org.jspecify.annotations.Nullable;

/**
 * Options of a restore. Immutable; start from {@link #DEFAULT}.
 *
 * @param log the directory of the store that was backed up, or null for none. Its commits after the
 *     backup are restored too, up to a bound or the end of the log. The store may be running,
 *     closed or dead; a copy of its file {@code store} and of the files of the log is sufficient.
 *     The directory is only read
 * @param untilVersionstamp the last commit of that log to restore, or null for no such bound
 * @param untilTime the time of the last commit of that log to restore, by the store's clock, or
 *     null for no such bound
 */
@Value.Builder
public record RestoreOptions(
    @Nullable Path log, @Nullable Versionstamp untilVersionstamp, @Nullable Instant untilTime)
    implements WithRestoreOptions {
  /** The default: the backup alone. */
  public static final RestoreOptions DEFAULT = new RestoreOptions(null, null, null);

  /**
   * Checks the options.
   *
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
