package io.kvreactive.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Files that only their owner may access. Without POSIX permissions, these are plain files. */
public final class OwnerOnlyFile {
  private static final Set<PosixFilePermission> OWNER =
      Set.copyOf(PosixFilePermissions.fromString("rw-------"));

  private OwnerOnlyFile() {}

  /** Creates an empty file, or removes the access of others to an existing file. */
  public static void prepare(Path file) throws IOException {
    boolean posix = file.getFileSystem().supportedFileAttributeViews().contains("posix");
    if (Files.exists(file)) {
      if (posix && !OWNER.containsAll(Files.getPosixFilePermissions(file))) {
        Files.setPosixFilePermissions(file, OWNER);
      }
    } else if (posix) {
      Files.createFile(file, PosixFilePermissions.asFileAttribute(OWNER));
    } else {
      Files.createFile(file);
    }
  }
}
