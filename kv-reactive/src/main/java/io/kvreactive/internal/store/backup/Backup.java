package io.kvreactive.internal.store.backup;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.internal.store.ChangeCursor;
import io.kvreactive.internal.store.Store;
import io.kvreactive.internal.store.StoreIdentity;
import io.kvreactive.internal.store.StoreSnapshot;
import io.kvreactive.internal.store.StoreView;
import io.kvreactive.internal.store.SystemKeys;
import io.kvreactive.internal.store.ViewCursor;
import io.kvreactive.internal.store.file.Disk;
import io.kvreactive.internal.store.image.ImageBuilder;
import io.kvreactive.internal.store.log.VersionSkip;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Writes a backup while the store is in use: a directory in the format of a store, and a {@link
 * Manifest}. The image of the backup is read page by page, each at the newest version. So it has
 * every commit up to the version at the start, and parts of later ones, all of which are in its
 * log. A crash leaves a store in the same state, and opening one handles it.
 *
 * <p>A store without a log is read at one snapshot. Blocks; must be called on a dedicated thread.
 */
public final class Backup implements AutoCloseable {
  /** A good number of entries per page: few snapshots, each held for milliseconds. */
  public static final int PAGE_ENTRIES = 2000;

  private static final long PAGE_BYTES = 4 << 20;
  private static final int LOG_STEP = 1 << 20;

  private final Store store;
  private final Disk disk;
  private final PartialDirectory directory;
  private final ImageBuilder image;
  private final AutoCloseable pin;
  private final @Nullable UUID origin;
  private final @Nullable StoreSnapshot held;
  private final long created;
  private final long from;
  private byte[] next = {};
  private long entries;
  private long bytes;

  private record Entry(byte[] key, long version, KvValue value, long expireAt) {}

  private Backup(
      Store store,
      Disk disk,
      PartialDirectory directory,
      ImageBuilder image,
      @Nullable UUID origin) {
    this.store = store;
    this.disk = disk;
    this.directory = directory;
    this.image = image;
    this.origin = origin;
    this.created = store.clock().millis();
    this.held = origin == null ? store.snapshot() : null;
    this.from = held == null ? store.horizon() : held.version();
    this.pin = store.log().pin(from + 1);
  }

  /**
   * Starts a backup.
   *
   * @param target the directory of the backup
   * @param dirtyBytes the heap for changed pages
   * @throws KvException INVALID_ARGUMENT if the directory is not empty; LOCKED if another backup is
   *     being written there
   */
  public static Backup start(Store store, Disk disk, Path target, long dirtyBytes)
      throws IOException {
    UUID origin = store.id();
    PartialDirectory directory = PartialDirectory.create(disk, target, "directory");
    ImageBuilder image = null;
    try {
      image = ImageBuilder.create(disk, directory.path(), dirtyBytes);
      return new Backup(store, disk, directory, image, origin);
    } catch (IOException | RuntimeException | Error e) {
      closeAfter(e, directory, image);
      throw e;
    }
  }

  private static void closeAfter(
      Throwable failure, PartialDirectory directory, @Nullable ImageBuilder image) {
    try (directory;
        image) {
      return;
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  /**
   * Copies the next entries.
   *
   * @param most the maximum number of entries; fewer if they are large
   * @return true if there may be more
   * @throws KvException SNAPSHOT_TOO_OLD if a store without a log cannot keep its snapshot
   */
  public boolean page(int most) throws IOException {
    List<Entry> page = read(most);
    for (Entry entry : page) {
      image.add(entry.key, entry.version, entry.value, entry.expireAt);
      entries++;
      bytes += entry.key.length + entry.value.bytes().length;
    }
    if (page.isEmpty()) {
      return false;
    }
    byte[] last = page.get(page.size() - 1).key;
    next = Arrays.copyOf(last, last.length + 1);
    return true;
  }

  private List<Entry> read(int most) {
    if (held != null) {
      return read(held, most);
    }
    while (true) {
      try (StoreSnapshot newest = store.snapshot()) {
        return read(newest, most);
      } catch (KvException e) {
        if (e.code() != KvErrorCode.SNAPSHOT_TOO_OLD) { // otherwise a newer one suffices
          throw e;
        }
      }
    }
  }

  /**
   * Reads a page, including expired entries: a concurrent commit may be extending the expiry of
   * one, and the log does not repeat its value.
   */
  private List<Entry> read(StoreSnapshot snapshot, int most) {
    StoreView view = snapshot.enter().at(0);
    try {
      List<Entry> page = new ArrayList<>();
      ViewCursor cursor = view.range(next, SystemKeys.end(), false);
      long size = 0;
      while (page.size() < most && size < PAGE_BYTES && cursor.next()) {
        KvValue value = cursor.value();
        page.add(new Entry(cursor.key(), cursor.version(), value, cursor.expireAt()));
        size += cursor.key().length + value.bytes().length;
      }
      return page;
    } finally {
      snapshot.leave();
    }
  }

  /** Returns the number of copied entries, internal ones included. */
  public long entries() {
    return entries;
  }

  /** Returns the bytes of their keys and values. */
  public long bytes() {
    return bytes;
  }

  /**
   * Completes the backup after its last page.
   *
   * @param step called for each commit that is copied; may throw to stop the backup
   * @return the manifest
   */
  public Manifest finish(Runnable step) throws IOException {
    image.finish(from);
    store.syncLog(); // pages must not be ahead of the copied part of the log
    long through = held == null ? store.horizon() : from;
    UUID id = StoreIdentity.of(disk, directory.path()).id();
    long millis;
    try (CommitCopy log = new CommitCopy(disk, directory.path(), id, from)) {
      copyCommits(log, through, step);
      log.finish(VersionSkip.newHistory(through, store.clock().millis()));
      millis = through == from ? created : log.millis();
    }
    Manifest manifest = new Manifest(origin, from, through, millis, entries, created);
    step.run();
    manifest.write(disk, directory.path());
    directory.rename();
    return manifest;
  }

  private void copyCommits(CommitCopy log, long through, Runnable step) throws IOException {
    ChangeCursor commits = store.changes(from);
    try {
      while (commits.position() < through) {
        commits.read(
            LOG_STEP,
            commit -> {
              if (commit.version() > through) {
                return false;
              }
              step.run();
              try {
                log.add(commit);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
              return true;
            });
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** Releases the pinned log and the snapshot, and deletes the files of an incomplete backup. */
  @Override
  public void close() throws IOException {
    if (held != null) {
      held.close();
    }
    try (directory;
        image) {
      pin.close();
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
