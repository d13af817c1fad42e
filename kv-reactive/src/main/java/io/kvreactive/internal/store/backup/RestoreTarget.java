package io.kvreactive.internal.store.backup;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.RestoreOptions;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.store.log.CommitRecord;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The point up to which commits are restored: a version, a time, or the end of the log. */
final class RestoreTarget {
  private final @Nullable Versionstamp version;
  private final @Nullable Instant time;

  private RestoreTarget(@Nullable Versionstamp version, @Nullable Instant time) {
    this.version = version;
    this.time = time;
  }

  /**
   * Returns the target of the options.
   *
   * @throws KvException INVALID_ARGUMENT if the target is before the backup, or requires a log
   */
  static RestoreTarget of(RestoreOptions options, Manifest backup) {
    Versionstamp version = options.untilVersionstamp();
    Instant time = options.untilTime();
    Versionstamp least = Versionstamp.of(backup.through());
    if (version != null && version.compareTo(least) < 0) {
      throw invalid(
          version, "at least " + least + ", the version of the backup; or an older backup");
    }
    if (time != null && time.isBefore(Instant.ofEpochMilli(backup.millis()))) {
      throw invalid(
          time,
          "at least %s, the time of version %s of the backup; or an older backup"
              .formatted(Instant.ofEpochMilli(backup.millis()), least));
    }
    boolean beyond = time != null || version != null && version.compareTo(least) > 0;
    if (beyond && options.log() == null) {
      throw invalid(
          version == null ? String.valueOf(time) : version, "a log that has the commits up to it");
    }
    return new RestoreTarget(version, time);
  }

  boolean allows(CommitRecord commit) {
    return (version == null || Versionstamp.of(commit.version()).compareTo(version) <= 0)
        && (time == null || !Instant.ofEpochMilli(commit.millis()).isAfter(time));
  }

  /**
   * Checks that a requested version was reached. A time always is: if the log ends before it, there
   * were no commits between.
   *
   * @throws KvException INVALID_ARGUMENT
   */
  void checkReached(long last) {
    if (version != null && version.version() > last) {
      throw invalid(version, "at most " + Versionstamp.of(last) + ", the end of the log");
    }
  }

  private static KvException invalid(Object until, String expected) {
    return new KvException(
        KvErrorCode.INVALID_ARGUMENT, "until: " + until + " (expected: " + expected + ")");
  }
}
