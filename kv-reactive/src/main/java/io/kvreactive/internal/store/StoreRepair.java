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
 * Repairs a store with a damaged log at the request of its operator: cuts off the commits after the
 * damage. The store must be closed. Blocks.
 */
public final class StoreRepair {
  /**
   * The result of cutting a log.
   *
   * @param cut the damage and the loss
   * @param next the lowest version that the store may assign from here on
   * @param history the id of the store's new history
   */
  public record Repaired(LogCut cut, long next, UUID history) {}

  private StoreRepair() {}

  /**
   * Finds the damage that prevents opening the log of a store. Changes nothing.
   *
   * @return null if the log can be opened; opening it cuts off a torn tail
   * @throws KvException INVALID_ARGUMENT if the directory holds no store; LOCKED; CORRUPT if the
   *     identity or the image is damaged
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
   * Cuts off the log at its first damage. The store gets a new history, and continues with a
   * version that was never visible: versionstamps of the lost commits are rejected or conflict.
   *
   * @return null if the log can be opened; nothing was changed then
   * @throws KvException as {@link #inspectLog}; DISK_FULL, IO_FAILED
   */
  public static @Nullable Repaired cutLog(Path directory) {
    return cutLog(new FileDisk(), directory, System.currentTimeMillis());
  }

  /** Cuts off a log with other file operations and another time. */
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
          "directory: " + directory + " (expected: the directory of a store)");
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

  /** Returns the version of the image after the recovery that opening the store would do. */
  private static long imageVersion(Path directory) throws IOException {
    try (SortedImage image = SortedImage.open(new OverlayDisk(), directory)) {
      return image.version();
    }
  }
}
