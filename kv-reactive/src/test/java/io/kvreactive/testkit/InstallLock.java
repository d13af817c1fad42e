package io.kvreactive.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Of the processes that run tests at once, one installs a runtime: the others find it then. */
public final class InstallLock implements AutoCloseable {
  private final FileChannel held;

  /**
   * Waits for the others.
   *
   * @param cache where it is installed
   */
  public InstallLock(Path cache) {
    try {
      Files.createDirectories(cache);
      held =
          FileChannel.open(
              cache.resolve("install.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      held.lock();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      held.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
