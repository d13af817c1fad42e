package io.kvreactive.internal.store.backup;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.internal.store.file.DirectoryLock;
import io.kvreactive.internal.store.file.Disk;
import io.kvreactive.internal.store.file.DurableDirectories;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory that appears atomically: it is filled under the name {@code NAME.partial} and renamed
 * at the end. Its lock is held meanwhile. A killed process leaves it, and the next one that is
 * created in the same parent directory deletes it.
 */
final class PartialDirectory implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(PartialDirectory.class);
  private static final String SUFFIX = ".partial";

  /** The names of all files that a backup or a restore writes. */
  private static final Pattern OWN =
      Pattern.compile(
          "lock|store|backup|image\\.(?:db|sums|journal)|log-[0-9a-f]{16}\\.kvlog|clock-\\d+");

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
    deleteAbandoned(disk, path);
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

  /**
   * Deletes other partial directories beside one whose processes have ended. Directories with other
   * files, without a lock file or with a held lock are left alone.
   */
  private static void deleteAbandoned(Disk disk, Path own) throws IOException {
    Path parent = own.getParent();
    List<Path> siblings = parent == null ? List.of() : list(parent);
    for (Path path : siblings) {
      boolean isPartial = path.toString().endsWith(SUFFIX) && !path.equals(own);
      if (isPartial && Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS) && isOwn(path)) {
        DirectoryLock lock = DirectoryLock.acquireAbandoned(path);
        if (lock != null) {
          new PartialDirectory(disk, path, path, lock).close();
          LOG.info("deleted {}, which a killed backup or restore had left", path);
        }
      }
    }
  }

  private static boolean isOwn(Path path) throws IOException {
    List<Path> files;
    try {
      files = list(path);
    } catch (NoSuchFileException e) {
      return false; // renamed meanwhile
    }
    return files.stream().anyMatch(DirectoryLock::isFile)
        && files.stream()
            .allMatch(
                file ->
                    OWN.matcher(file.getFileName().toString()).matches()
                        && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS));
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
