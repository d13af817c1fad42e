package io.kvreactive.internal.store;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.internal.store.file.DirectoryLock;
import io.kvreactive.internal.store.file.Disk;
import io.kvreactive.internal.store.file.FileDisk;
import io.kvreactive.internal.store.file.IoFailures;
import io.kvreactive.internal.store.file.OverlayDisk;
import io.kvreactive.internal.store.image.SortedImage;
import io.kvreactive.internal.store.log.LogCut;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Makes a store whose log is damaged one that can be opened, by the word of its operator: commits
 * behind the damage are given up. The store must be closed. Blocks.
 */
public final class StoreRepair {
  /**
   * A log that was cut.
   *
   * @param cut what was wrong and what was lost
   * @param next the first version that the store gives out from here on, at the least
   * @param history the id of the store's history from here on
   */
  public record Repaired(LogCut cut, long next, UUID history) {}

  private StoreRepair() {}

  /**
   * Finds the damage for which the log of a store is refused. Changes nothing.
   *
   * @return null if the log can be opened as it is; a torn tail is cut off by opening it
   * @throws KvException INVALID_ARGUMENT when the directory holds no store; LOCKED; CORRUPT when
   *     the identity or the image is damaged
   */
  public static @Nullable LogCut inspectLog(Path directory) {
    try {
      DirectoryLock lock = lock(directory);
      try (lock) {
        return find(directory);
      }
    } catch (IOException e) {
      throw IoFailures.of(e, directory, "reading the log");
    }
  }

  /**
   * Cuts the log off at its first damage. The store gets another history, and goes on with a
   * version that nobody has seen: versionstamps of the lost commits are refused or conflict.
   *
   * @return null if the log can be opened as it is; nothing was changed then
   * @throws KvException as {@link #inspectLog}; DISK_FULL, IO_FAILED
   */
  public static @Nullable Repaired cutLog(Path directory) {
    return cutLog(new FileDisk(), directory, System.currentTimeMillis());
  }

  /** Returns the same with other file operations and another time. */
  static @Nullable Repaired cutLog(Disk disk, Path directory, long millis) {
    try {
      DirectoryLock lock = lock(directory);
      try (lock) {
        LogCut cut = find(directory);
        if (cut == null) {
          return null;
        }
        StoreIdentity identity = StoreIdentity.renew(disk, directory);
        long next = cut.apply(disk, directory, identity.id(), imageVersion(directory), millis);
        return new Repaired(cut, next, identity.history());
      }
    } catch (IOException e) {
      throw IoFailures.of(e, directory, "cutting the log");
    }
  }

  private static DirectoryLock lock(Path directory) throws IOException {
    if (StoreIdentity.file(directory) == null) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          "directory: " + directory + " (expected: one that holds a store)");
    }
    return DirectoryLock.acquire(directory);
  }

  private static @Nullable LogCut find(Path directory) throws IOException {
    UUID id = StoreIdentity.find(directory);
    if (id == null) {
      throw new KvException(
          KvErrorCode.CORRUPT, directory + " has a damaged identity (expected: the file store)");
    }
    return LogCut.find(directory, id, imageVersion(directory));
  }

  /** Returns the version that the image has, as opening the store would bring it up to date. */
  private static long imageVersion(Path directory) throws IOException {
    try (SortedImage image = SortedImage.open(new OverlayDisk(), directory)) {
      return image.version();
    }
  }
}
