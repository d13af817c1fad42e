package io.kvreactive.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;

/** Fresh directories, and their removal. */
public final class Directories {
  private Directories() {}

  /** A new directory below {@code parent}, which is created when absent. */
  public static Path fresh(Path parent, String name) throws IOException {
    Files.createDirectories(parent);
    return Files.createTempDirectory(parent.toAbsolutePath(), name + "-");
  }

  /** Removes a directory and everything in it. */
  public static void remove(Path directory) throws IOException {
    List<Path> all;
    try (var walk = Files.walk(directory)) {
      all = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : all) {
      Files.deleteIfExists(path);
    }
  }

  /** Bytes in the files of a directory. */
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
