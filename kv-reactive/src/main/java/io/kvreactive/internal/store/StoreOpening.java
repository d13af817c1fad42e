package io.kvreactive.internal.store;

import io.kvreactive.KvException;
import io.kvreactive.internal.store.file.DirectoryLock;
import io.kvreactive.internal.store.file.Failures;
import io.kvreactive.internal.store.image.Image;
import io.kvreactive.internal.store.log.CommitLog;
import io.kvreactive.internal.store.log.LogRecovery;
import io.kvreactive.internal.store.memtable.Memtable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Opens a store: locks its directory, opens the image, replays the log behind that into memory and
 * opens the log for what comes. What fails leaves nothing open. See {@link Store#open}.
 */
final class StoreOpening {
  private StoreOpening() {}

  static Store inMemory(StoreOptions options, Runnable writeImage) {
    Image image = Image.inMemory();
    StoreClock clock = clock(options, 0);
    Generations empty = new Generations(image, new Memtable(), null, 0, 0, clock, writeImage);
    return new Store(options, null, null, image, empty, clock, 0, 0, 0);
  }

  static Store at(Path directory, StoreOptions options, Runnable writeImage) {
    DirectoryLock lock = null;
    Image image = null;
    try {
      createDirectory(options, directory);
      lock = DirectoryLock.acquire(directory);
      UUID id = StoreIdentity.of(options.disk(), directory);
      image = Image.open(options.disk(), directory);
      Recovery recovery = new Recovery(image, options);
      LogRecovery log =
          LogRecovery.replay(options.disk(), directory, id, image.version(), recovery);
      CommitLog opened =
          CommitLog.open(
              options.disk(),
              directory,
              id,
              options.segmentBytes(),
              options.retention(),
              log,
              log.last() + 1);
      StoreClock clock = clock(options, Math.max(log.lastMillis(), image.millis()));
      Image.deleteOthers(options.disk(), directory); // the log goes on where this one ends
      Generations recovered = recovery.generations(log.last(), clock, writeImage);
      return new Store(
          options,
          lock,
          opened,
          image,
          recovered,
          clock,
          log.last(),
          log.replayedBytes(),
          log.lastMillis());
    } catch (IOException e) {
      KvException failure = Failures.of(e, directory, "opening the store");
      closeAfter(failure, lock, image);
      throw failure;
    } catch (RuntimeException | Error e) {
      closeAfter(e, lock, image);
      throw e;
    }
  }

  private static StoreClock clock(StoreOptions options, long least) {
    return new StoreClock(least, options.wallClock(), System::nanoTime);
  }

  private static void createDirectory(StoreOptions options, Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      Files.createDirectories(directory);
      Path parent = directory.toAbsolutePath().getParent();
      if (parent != null) {
        options.disk().syncDirectory(parent);
      }
    }
  }

  private static void closeAfter(
      Throwable failure, @Nullable DirectoryLock lock, @Nullable Image image) {
    try (lock;
        image) {
      return;
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }
}
