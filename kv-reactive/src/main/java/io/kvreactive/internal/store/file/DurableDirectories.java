package io.kvreactive.internal.store.file;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;

/** Creates directories that survive a power loss. */
public final class DurableDirectories {
  private DurableDirectories() {}

  /**
   * Creates a directory and all missing parents, and makes their entries durable. Does nothing if
   * the directory exists.
   */
  public static void create(Disk disk, Path directory) throws IOException {
    Deque<Path> missing = new ArrayDeque<>();
    for (Path at = directory.toAbsolutePath().normalize();
        at != null && !Files.isDirectory(at);
        at = at.getParent()) {
      missing.push(at);
    }
    for (Path created : missing) {
      try {
        Files.createDirectory(created);
      } catch (FileAlreadyExistsException e) {
        if (!Files.isDirectory(created)) { // otherwise created concurrently
          throw e;
        }
      }
      Path parent = created.getParent();
      if (parent != null) {
        disk.syncDirectory(parent);
      }
    }
  }
}
