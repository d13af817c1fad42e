package io.kvreactive.testkit;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Supplier;

/** Of the processes that run tests at once, one installs a runtime: the others find it then. */
public final class Installing {
  private Installing() {}

  /**
   * Looks for it, or installs it, while no other process does.
   *
   * @param cache where it is installed
   * @return what it said, or why nobody could be kept from it
   */
  public static String alone(Path cache, Supplier<String> work) {
    try {
      Files.createDirectories(cache);
      try (FileChannel file =
              FileChannel.open(
                  cache.resolve("install.lock"),
                  StandardOpenOption.CREATE,
                  StandardOpenOption.WRITE);
          FileLock unused = file.lock()) {
        return work.get();
      }
    } catch (IOException e) {
      return e.toString();
    }
  }
}
