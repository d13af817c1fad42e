package io.kvreactive.web.internal.auth;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.UUID;

/**
 * Reads and writes files that only their owner may access. Replaces files atomically. All methods
 * block.
 */
public final class PrivateFile {
  private static final Set<PosixFilePermission> OWNER =
      Set.copyOf(PosixFilePermissions.fromString("rw-------"));

  private PrivateFile() {}

  /**
   * Replaces a file atomically and durably: readers, and restarts after a crash, find either the
   * old or the new content.
   */
  public static void replace(Path file, byte[] content) throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null) {
      throw new IOException("not a file: " + file);
    }
    Files.createDirectories(folder);
    Path draft = folder.resolve(file.getFileName() + "." + UUID.randomUUID() + ".tmp");
    try {
      write(draft, content);
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      syncFolder(folder);
    } finally {
      Files.deleteIfExists(draft);
    }
  }

  private static void write(Path file, byte[] content) throws IOException {
    Set<StandardOpenOption> options =
        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    try (FileChannel channel = FileChannel.open(file, options, ownerOnly())) {
      ByteBuffer rest = ByteBuffer.wrap(content);
      while (rest.hasRemaining()) {
        channel.write(rest);
      }
      channel.force(true);
    }
  }

  /**
   * Returns the attributes of a new file that only its owner may access; none on file systems
   * without POSIX permissions.
   */
  public static FileAttribute<?>[] ownerOnly() {
    return posix()
        ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(OWNER)}
        : new FileAttribute<?>[0];
  }

  /**
   * Returns true if users other than the owner may access a file; false on file systems without
   * POSIX permissions.
   */
  public static boolean openToOthers(Path file) throws IOException {
    return posix() && !OWNER.containsAll(Files.getPosixFilePermissions(file));
  }

  private static boolean posix() {
    return FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
  }

  private static void syncFolder(Path folder) throws IOException {
    if (posix()) { // other systems cannot open directories
      try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
        channel.force(true);
      }
    }
  }
}
