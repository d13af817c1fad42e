package io.kvreactive.internal.store;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.internal.store.file.IoFailures;
import io.kvreactive.internal.store.image.ImageFiles;
import io.kvreactive.internal.store.image.SortedImage;
import io.kvreactive.internal.store.log.CommitLog;
import io.kvreactive.internal.store.memtable.Memtable;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The image that a store has now: brings frozen memtables to it, and puts one that was built anew
 * in its place. On the thread that writes the image, but for {@link #current}, {@link #bytes} and
 * {@link #stopWriting}, which any thread may call.
 */
final class StoreImage implements Closeable {
  /** An image is built anew by itself when so many keys were removed from it, */
  private static final long MIN_REMOVED = 500_000;

  /** and so many times as many as are left: then that costs each of them little. */
  private static final long REMOVED_PER_KEY = 2;

  private final StoreOptions options;
  private final StoreLog log;
  private final MemtableSet memtables;
  private final StoreHealth health;
  private final LongSupplier clock;
  private volatile SortedImage image;
  private volatile ImageWriter writer;
  private @Nullable ImageFiles files; // null in memory

  /**
   * @param clock the store's time, milliseconds since 1970
   */
  StoreImage(
      StoreOptions options,
      SortedImage image,
      StoreLog log,
      MemtableSet memtables,
      StoreHealth health,
      LongSupplier clock) {
    this.options = options;
    this.log = log;
    this.memtables = memtables;
    this.health = health;
    this.clock = clock;
    this.image = image;
    this.writer = new ImageWriter(image, options.dirtyBytes());
  }

  /** Returns the image itself. Thread-safe. */
  SortedImage current() {
    return image;
  }

  /** Writes the frozen memtable to it. See {@link Store#writeImage}. */
  boolean write() {
    Memtable frozen = memtables.frozen();
    if (frozen == null) {
      return true;
    }
    if (health.failure() != null) {
      return false;
    }
    long version = memtables.frozenVersion();
    try {
      log.sync(memtables.visible());
      boolean done = writer.write(frozen, version, clock.getAsLong());
      health.imageWritten();
      return done;
    } catch (IOException e) {
      health.imageFailed(IoFailures.of(e, options.place(), "writing the image"));
      return false;
    } catch (KvException e) {
      health.fail(e);
      return false;
    } catch (RuntimeException | Error e) { // also a page that could not be read: half-way in MapDB
      health.fail(new KvException(KvErrorCode.INTERNAL, "writing the image failed: " + e, e));
      return false;
    }
  }

  /** Makes a running {@link #write} return soon. Thread-safe. */
  void stopWriting() {
    writer.stop();
  }

  /** Starts to build it anew; null in memory. */
  @Nullable Compaction compaction() throws IOException {
    health.checkNotFailed();
    CommitLog written = log.commits();
    Path directory = options.directory();
    if (written == null || directory == null) {
      return null;
    }
    ImageFiles current = files;
    if (current == null) {
      current = ImageFiles.current(directory);
      files = current;
    }
    return new Compaction(image, options.disk(), current, written, options.dirtyBytes());
  }

  /** Puts a new one in its place. See {@link Store#replaceImage}. */
  void replace(Compaction compaction) throws IOException {
    SortedImage old = image;
    ImageFiles oldFiles = files;
    SortedImage fresh = compaction.take();
    ImageWriter freshWriter = new ImageWriter(fresh, options.dirtyBytes());
    image = fresh;
    writer = freshWriter;
    files = compaction.files();
    memtables.replace(fresh);
    try (old) { // those who still read it do so through mappings
      if (oldFiles != null) {
        SortedImage.delete(options.disk(), oldFiles);
      }
    }
  }

  /** Returns true if so much has been removed that it is mostly empty pages. */
  boolean isWorthCompacting() {
    SortedImage current = image;
    return log.commits() != null
        && current.removed() >= Math.max(MIN_REMOVED, REMOVED_PER_KEY * current.keys());
  }

  /** Bytes of its files. Thread-safe. */
  long bytes() throws IOException {
    Path directory = options.directory();
    return directory == null ? 0 : ImageFiles.current(directory).size();
  }

  /** Closes its files. Nothing else may be running. */
  @Override
  public void close() throws IOException {
    image.close();
  }
}
