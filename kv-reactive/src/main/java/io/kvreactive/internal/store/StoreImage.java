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
 * The current image of a store: writes frozen memtables to it, and replaces it after a compaction.
 * Confined to the image thread, except {@link #current}, {@link #bytes} and {@link #stopWriting},
 * which are thread-safe.
 */
public final class StoreImage implements Closeable {
  /** Minimum number of removed keys before a compaction starts automatically. */
  private static final long MIN_REMOVED = 500_000;

  /**
   * Minimum ratio of removed to live keys before a compaction starts automatically, so that its
   * cost per removed key is small.
   */
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
   * Creates the holder of an image.
   *
   * @param clock the store's time in milliseconds since 1970
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

  /** Returns the current image. Thread-safe. */
  public SortedImage current() {
    return image;
  }

  /**
   * Writes the frozen memtable to the image. Blocks.
   *
   * @return true if done; if false, must be called again later, or not at all if the store is being
   *     closed
   */
  public boolean write() {
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
      // such as an unreadable page, in the middle of a MapDB operation
    } catch (RuntimeException | Error e) {
      health.fail(new KvException(KvErrorCode.INTERNAL, "writing the image failed: " + e, e));
      return false;
    }
  }

  /** Makes a running {@link #write} return soon. Thread-safe. */
  public void stopWriting() {
    writer.stop();
  }

  /** Starts a compaction, whose methods must be called on the image thread; null in memory. */
  public @Nullable Compaction compaction() throws IOException {
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

  /**
   * Replaces the image, for good. {@link Store#imageReplaced} must be called next.
   *
   * @param compaction a compaction whose last step has returned true
   * @throws IOException if the old files could not be deleted; the next open deletes them
   */
  public void replace(Compaction compaction) throws IOException {
    SortedImage old = image;
    ImageFiles oldFiles = files;
    SortedImage fresh = compaction.take();
    ImageWriter freshWriter = new ImageWriter(fresh, options.dirtyBytes());
    image = fresh;
    writer = freshWriter;
    files = compaction.files();
    memtables.replace(fresh);
    try (old) { // remaining readers use its mappings
      if (oldFiles != null) {
        SortedImage.delete(options.disk(), oldFiles);
      }
    }
  }

  /** Returns true if the image consists mostly of empty pages, because many keys were removed. */
  public boolean isWorthCompacting() {
    SortedImage current = image;
    return log.commits() != null
        && current.removed() >= Math.max(MIN_REMOVED, REMOVED_PER_KEY * current.keys());
  }

  /** Returns the bytes of its files. Thread-safe. */
  public long bytes() throws IOException {
    Path directory = options.directory();
    return directory == null ? 0 : ImageFiles.current(directory).size();
  }

  /** Closes its files. Nothing else may be running. */
  @Override
  public void close() throws IOException {
    image.close();
  }
}
