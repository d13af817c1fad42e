package io.kvreactive.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Describes the machine of a measurement. */
public final class Machine {
  private Machine() {}

  /**
   * Returns the number of cores, the JDK, the kernel, and the type of a directory's file system.
   */
  public static String describe(Path directory) throws IOException {
    Files.createDirectories(directory);
    return "%d cores, %s %s, %s %s, %s"
        .formatted(
            Runtime.getRuntime().availableProcessors(),
            System.getProperty("java.vendor"),
            Runtime.version(),
            System.getProperty("os.name"),
            System.getProperty("os.version"),
            Files.getFileStore(directory).type());
  }

  /** Returns a field of {@code /proc/self/status} in MiB; NaN on systems without that file. */
  public static double memoryMiB(String field) throws IOException {
    Path status = Path.of("/proc/self/status");
    if (Files.exists(status)) {
      for (String line : Files.readAllLines(status)) {
        if (line.startsWith(field + ":")) {
          return Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024.0;
        }
      }
    }
    return Double.NaN;
  }
}
