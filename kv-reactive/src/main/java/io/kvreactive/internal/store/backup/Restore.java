package io.kvreactive.internal.store.backup;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.RestoreOptions;
import io.kvreactive.RestoreResult;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.store.StoreIdentity;
import io.kvreactive.internal.store.file.Disk;
import io.kvreactive.internal.store.image.ImageCopy;
import io.kvreactive.internal.store.image.PageCheck;
import io.kvreactive.internal.store.image.SortedImage;
import io.kvreactive.internal.store.log.CommitRecord;
import io.kvreactive.internal.store.log.LogScan;
import io.kvreactive.internal.store.log.VersionSkip;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.UUID;

/**
 * Makes a store from a {@link Backup}, and optionally from the log of its original store. The new
 * store has an id of its own, since its history differs from here on. The sources are only read.
 * Blocks.
 */
public final class Restore {
  private final Disk disk;
  private final Path backup;
  private final Manifest manifest;
  private final RestoreOptions options;
  private final RestoreTarget bound;
  private final Runnable step;
  private long newest; // newest version that is known to have been assigned

  private Restore(
      Disk disk, Path backup, Manifest manifest, RestoreOptions options, Runnable step) {
    this.disk = disk;
    this.backup = backup;
    this.manifest = manifest;
    this.options = options;
    this.bound = RestoreTarget.of(options, manifest);
    this.step = step;
  }

  /**
   * Restores a backup.
   *
   * @param target the directory of the new store
   * @param step called from time to time; may throw to stop the restore
   * @throws KvException INVALID_ARGUMENT, LOCKED, COMPACTED, CORRUPT
   */
  public static RestoreResult run(
      Disk disk, Path backup, Path target, RestoreOptions options, Runnable step)
      throws IOException {
    Restore restore = new Restore(disk, backup, Manifest.read(backup), options, step);
    restore.checkOrigin();
    try (PartialDirectory directory = PartialDirectory.create(disk, target, "directory")) {
      RestoreResult result = restore.fill(directory.path());
      step.run();
      directory.rename();
      return result;
    }
  }

  private void checkOrigin() throws IOException {
    Path log = options.log();
    if (log == null) {
      return;
    }
    UUID found = StoreIdentity.find(log);
    if (found == null || !found.equals(manifest.origin())) {
      UUID origin = manifest.origin();
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          "log: %s is of %s (expected: of %s)"
              .formatted(
                  log,
                  found == null ? "no store" : "store " + found,
                  origin == null ? "none, since the backup is of a store in memory" : origin));
    }
  }

  private RestoreResult fill(Path directory) throws IOException {
    ImageCopy.copy(backup, disk, directory, step);
    disk.syncDirectory(directory);
    checkImage(directory);
    UUID id = StoreIdentity.of(disk, directory).id();
    try (CommitCopy copy = new CommitCopy(disk, directory, id, manifest.from())) {
      copyBackup(copy);
      long ofLog = copyLog(copy);
      copy.finish(VersionSkip.newHistory(newest, System.currentTimeMillis()));
      long millis = copy.last() == manifest.from() ? manifest.millis() : copy.millis();
      return new RestoreResult(Versionstamp.of(copy.last()), Instant.ofEpochMilli(millis), ofLog);
    }
  }

  /** Compares every page of the copy with its checksum. */
  private void checkImage(Path directory) throws IOException {
    PageCheck.all(
        disk,
        directory,
        bad -> {
          throw corrupt(
              "%s is damaged at offset %d: checksum %08x (expected: %08x)"
                  .formatted(
                      backup.resolve(bad.file().getFileName()),
                      bad.offset(),
                      bad.actual(),
                      bad.expected()));
        });
    step.run();
    try (SortedImage image = SortedImage.open(disk, directory)) {
      if (image.version() != manifest.from() || image.keys() != manifest.entries()) {
        throw corrupt(
            "the image in %s has %d entries as of version %d (expected: %d as of %d)"
                .formatted(
                    backup, image.keys(), image.version(), manifest.entries(), manifest.from()));
      }
    }
  }

  private void copyBackup(CommitCopy copy) throws IOException {
    UUID id = StoreIdentity.find(backup);
    if (id == null) {
      throw corrupt(backup + " has no identity of a store");
    }
    long next =
        LogScan.read(
            backup,
            id,
            manifest.from(),
            commit -> commit.version() <= manifest.through() && take(copy, commit));
    newest = Math.max(newest, next - 1);
    if (copy.last() != manifest.through()) {
      throw corrupt(
          "the log in %s ends at version %d (expected: %d)"
              .formatted(backup, copy.last(), manifest.through()));
    }
  }

  private long copyLog(CommitCopy copy) throws IOException {
    Path log = options.log();
    UUID origin = manifest.origin();
    if (log != null && origin != null) {
      long next =
          LogScan.read(
              log,
              origin,
              manifest.through(),
              commit -> bound.allows(commit) && take(copy, commit));
      newest = Math.max(newest, next - 1);
    }
    bound.checkReached(copy.last());
    return copy.last() - manifest.through();
  }

  private boolean take(CommitCopy copy, CommitRecord commit) throws IOException {
    step.run();
    copy.add(commit);
    return true;
  }

  private static KvException corrupt(String what) {
    return new KvException(KvErrorCode.CORRUPT, what);
  }
}
