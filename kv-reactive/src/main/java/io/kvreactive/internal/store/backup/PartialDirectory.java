package io.kvreactive.internal.store.backup;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.internal.store.file.DirectoryLock;
import io.kvreactive.internal.store.file.Disk;
import io.kvreactive.internal.store.file.DurableDirectories;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * A directory that appears atomically: it is filled under the name {@code NAME.partial} and renamed
 * at the end. Its lock is held meanwhile.
 */
final class PartialDirectory implements Closeable {
  private static final String SUFFIX = ".partial";

  private final Disk disk;
  private final Path target;
  private final Path path;
  private final DirectoryLock lock;
  private boolean whole;

  private PartialDirectory(Disk disk, Path target, Path path, DirectoryLock lock) {
    this.disk = disk;
    this.target = target;
    this.path = path;
    this.lock = lock;
  }

  /**
   * Creates an empty partial directory; deletes what a crash may have left.
   *
   * @param what the name of the argument for messages
   * @throws KvException INVALID_ARGUMENT if the target exists and is not empty; LOCKED if another
   *     process or task is filling it
   */
  static PartialDirectory create(Disk disk, Path directory, String what) throws IOException {
    Path target = directory.toAbsolutePath().normalize();
    checkFree(target, what);
    Path path = target.resolveSibling(target.getFileName() + SUFFIX);
    DurableDirectories.create(disk, path);
    DirectoryLock lock = DirectoryLock.acquire(path);
    PartialDirectory partial = new PartialDirectory(disk, target, path, lock);
    try {
      partial.deleteFiles();
    } catch (IOException | RuntimeException e) {
      lock.close();
      throw e;
    }
    return partial;
  }

  private static void checkFree(Path target, String what) throws IOException {
    boolean free = !Files.exists(target) || Files.isDirectory(target) && list(target).isEmpty();
    if (!free || target.getFileName() == null) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          what + ": " + target + " (expected: a path that does not exist, or an empty directory)");
    }
  }

  private static List<Path> list(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    }
  }

  Path path() {
    return path;
  }

  /** Renames the directory durably. All files in it must be on the medium. */
  void rename() throws IOException {
    DirectoryLock.deleteFile(disk, path);
    disk.syncDirectory(path);
    Files.move(path, target, StandardCopyOption.ATOMIC_MOVE);
    whole = true;
    Path parent = target.getParent();
    if (parent != null) {
      disk.syncDirectory(parent);
    }
  }

  private void deleteFiles() throws IOException {
    for (Path file : list(path)) {
      if (!DirectoryLock.isFile(file)) {
        disk.delete(file);
      }
    }
  }

  /** Deletes the directory, unless it was renamed. */
  @Override
  public void close() throws IOException {
    try (lock) {
      if (!whole) {
        deleteFiles();
        DirectoryLock.deleteFile(disk, path);
        Files.delete(path);
      }
    }
  }
}
