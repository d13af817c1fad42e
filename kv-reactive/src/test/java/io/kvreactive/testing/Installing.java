package io.kvreactive.testing;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Supplier;

/** Lock between concurrent test processes, so that only one of them installs a runtime. */
public final class Installing {
  private Installing() {}

  /**
   * Finds or installs a runtime while holding the lock.
   *
   * @param cache the directory of the installation
   * @return the result of the work, or the reason why the lock failed
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
