package io.kvreactive.internal.store;

import io.kvreactive.KvException;
import io.kvreactive.internal.shared.SteadyClock;
import io.kvreactive.internal.store.file.DirectoryLock;
import io.kvreactive.internal.store.file.DurableDirectories;
import io.kvreactive.internal.store.file.IoFailures;
import io.kvreactive.internal.store.image.SortedImage;
import io.kvreactive.internal.store.log.CommitLog;
import io.kvreactive.internal.store.log.LogRecovery;
import io.kvreactive.internal.store.memtable.Memtable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens a store: locks its directory, opens the image, replays the newer part of the log into
 * memory, and opens the log for appending. A failure leaves nothing open. See {@link Store#open}.
 */
final class StoreOpener {
  private static final Logger LOG = LoggerFactory.getLogger(Store.class);

  private StoreOpener() {}

  static Store inMemory(StoreOptions options, Runnable writeImage) {
    SortedImage image = SortedImage.inMemory();
    SteadyClock clock = clock(options, 0);
    MemtableSet empty =
        new MemtableSet(image, new Memtable(), null, 0, 0, clock::millis, writeImage);
    return new Store(options, null, null, image, empty, clock, UUID.randomUUID(), 0, 1, 0, 0);
  }

  static Store at(Path directory, StoreOptions options, Runnable writeImage) {
    long started = System.nanoTime();
    DirectoryLock lock = null;
    SortedImage image = null;
    try {
      DurableDirectories.create(options.disk(), directory);
      lock = DirectoryLock.acquire(directory);
      StoreIdentity identity = StoreIdentity.of(options.disk(), directory);
      UUID id = identity.id();
      image = SortedImage.open(options.disk(), directory);
      ClockSetting set = ClockSetting.read(directory);
      if (set != null && image.version() <= set.version()) {
        image.resetMillis(set.millis());
      }
      Recovery recovery = new Recovery(image, options);
      LogRecovery log =
          LogRecovery.replay(
              options.disk(),
              directory,
              id,
              image.version(),
              set == null ? 0 : set.version(),
              recovery);
      CommitLog opened =
          CommitLog.open(
              options.disk(), directory, id, options.segmentBytes(), options.retention(), log);
      long reached = Math.max(log.lastMillis(), image.millis());
      SteadyClock clock = clock(options, set == null ? reached : Math.max(reached, set.millis()));
      // the log continues where this image ends
      SortedImage.deleteOthers(options.disk(), directory);
      MemtableSet recovered = recovery.memtables(log.last(), clock::millis, writeImage);
      Store store =
          new Store(
              options,
              lock,
              opened,
              image,
              recovered,
              clock,
              identity.history(),
              log.last(),
              opened.next(),
              log.replayedBytes(),
              log.lastMillis());
      LOG.info(
          "opened {}: {} keys in the image, {} bytes of the log replayed, {} ms",
          directory,
          image.keys(),
          log.replayedBytes(),
          TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started));
      return store;
    } catch (IOException e) {
      KvException failure = IoFailures.of(e, directory, "opening the store");
      closeAfter(failure, lock, image);
      throw failure;
    } catch (RuntimeException | Error e) {
      closeAfter(e, lock, image);
      throw e;
    }
  }

  private static SteadyClock clock(StoreOptions options, long least) {
    return new SteadyClock("store " + options.place(), least, options.clocks());
  }

  private static void closeAfter(
      Throwable failure, @Nullable DirectoryLock lock, @Nullable SortedImage image) {
    try (lock;
        image) {
      return;
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }
}
