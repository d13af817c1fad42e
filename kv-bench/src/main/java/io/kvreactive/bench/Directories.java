package io.kvreactive.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;

/** Creates, measures and removes the directories of measurements. */
public final class Directories {
  private Directories() {}

  /** Creates a new directory below {@code parent}, which is created if it does not exist. */
  public static Path fresh(Path parent, String name) throws IOException {
    Files.createDirectories(parent);
    return Files.createTempDirectory(parent.toAbsolutePath(), name + "-");
  }

  /** Removes a directory with its contents. */
  public static void remove(Path directory) throws IOException {
    List<Path> all;
    try (var walk = Files.walk(directory)) {
      all = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : all) {
      Files.deleteIfExists(path);
    }
  }

  /** Returns the total size of the files in a directory, in bytes. */
  public static long size(Path directory) throws IOException {
    long size = 0;
    try (var walk = Files.walk(directory)) {
      for (Path path : walk.filter(Files::isRegularFile).toList()) {
        size += Files.size(path);
      }
    }
    return size;
  }
}
