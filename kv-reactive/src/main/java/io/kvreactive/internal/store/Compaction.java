package io.kvreactive.internal.store;

import io.kvreactive.internal.store.file.Disk;
import io.kvreactive.internal.store.image.ImageBuilder;
import io.kvreactive.internal.store.image.ImageFiles;
import io.kvreactive.internal.store.image.SortedImage;
import io.kvreactive.internal.store.image.nodes.ImageRecord;
import io.kvreactive.internal.store.log.CommitLog;
import io.kvreactive.internal.store.log.CommitRecord;
import io.kvreactive.internal.store.log.LogReader;
import io.kvreactive.spi.StoredChange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Builds a new image beside the old one: first copies its records in key order, then replays from
 * the log the commits that were written to the old one since then. Runs on the image thread, in
 * steps between which memtables are written. Until the end the store uses the old image. A crash
 * leaves one of the two, and the log from its version on.
 */
public final class Compaction {
  private static final byte[] END = {(byte) 0xFF, (byte) 0xFF};
  private static final int LOG_PIECE = 256 << 10;
  private static final int CLOCK_EVERY = 64;

  private final SortedImage old;
  private final Disk disk;
  private final ImageFiles files;
  private final long dirtyBytes;
  private final long from;
  private final LogReader log;
  private final AutoCloseable pin;
  private final ImageBuilder builder;
  private final long keys;

  private byte[] next = {};
  private long copied;
  private @Nullable SortedImage fresh;

  /**
   * Starts a compaction.
   *
   * @param old the store's image, with files
   * @throws io.kvreactive.KvException if the log has a gap
   */
  Compaction(SortedImage old, Disk disk, ImageFiles current, CommitLog log, long dirtyBytes)
      throws IOException {
    this.old = old;
    this.disk = disk;
    this.files = current.next();
    this.dirtyBytes = dirtyBytes;
    this.from = old.version();
    this.keys = old.keys();
    this.pin = log.pin(from + 1);
    this.log = log.reader(from);
    try {
      this.builder = ImageBuilder.create(disk, files, dirtyBytes);
    } catch (IOException | RuntimeException e) {
      unpin();
      throw e;
    }
  }

  private void unpin() {
    try {
      pin.close();
    } catch (Exception e) {
      throw new IllegalStateException(e); // cannot happen: closing only removes the pin from a list
    }
  }

  /** Returns the number of records copied so far. */
  public long copied() {
    return copied;
  }

  /** Returns the number of records at the start. */
  public long keys() {
    return keys;
  }

  /** Returns true if all records are copied, and later changes are being replayed. */
  public boolean isCatchingUp() {
    return fresh != null;
  }

  /**
   * Continues for about the given time.
   *
   * @return true if the new image is complete: {@link #take} must be called before anything else is
   *     written to the old image
   */
  public boolean step(long nanos) throws IOException {
    long end = System.nanoTime() + nanos;
    if (fresh == null && copy(end)) {
      builder.finish(from);
      fresh = SortedImage.open(disk, files);
    }
    SortedImage image = fresh;
    if (image == null || !catchUp(image, end)) {
      return false;
    }
    image.advance(old.version(), old.millis());
    image.checkpoint();
    return true;
  }

  private boolean copy(long end) throws IOException {
    Iterator<Map.Entry<byte[], ImageRecord>> records = old.range(next, END, false);
    for (int i = 1; records.hasNext(); i++) {
      Map.Entry<byte[], ImageRecord> entry = records.next();
      if (i % CLOCK_EVERY == 0 && System.nanoTime() >= end) {
        next = entry.getKey();
        return false;
      }
      ImageRecord record = entry.getValue();
      builder.add(entry.getKey(), record.version(), old.load(record), record.expireAt());
      copied++;
    }
    return true;
  }

  private boolean catchUp(SortedImage image, long end) throws IOException {
    List<CommitRecord> piece = new ArrayList<>();
    while (log.position() < old.version()) {
      log.read(old.version(), LOG_PIECE, piece::add);
      for (CommitRecord commit : piece) {
        for (StoredChange effect : commit.effects()) {
          repeat(image, effect, commit.version());
          if (image.dirtyBytes() >= dirtyBytes) {
            image.checkpoint();
          }
        }
      }
      piece.clear();
      if (System.nanoTime() >= end) {
        break;
      }
    }
    return log.position() >= old.version();
  }

  /**
   * Applies an effect unless the record already includes it: records were copied at different
   * versions.
   */
  private void repeat(SortedImage image, StoredChange effect, long version) throws IOException {
    byte[] end = effect.end();
    if (end != null) {
      Iterator<Map.Entry<byte[], ImageRecord>> records = image.range(effect.key(), end, false);
      while (records.hasNext()) {
        Map.Entry<byte[], ImageRecord> entry = records.next();
        if (entry.getValue().version() < version) {
          image.remove(entry.getKey());
        }
        if (image.dirtyBytes() >= dirtyBytes) {
          image.checkpoint();
        }
      }
      return;
    }
    ImageRecord record = image.find(effect.key());
    if (record != null && record.version() >= version) {
      return;
    }
    if (effect.kind() == StoredChange.Kind.SET && effect.value() != null) {
      image.put(effect.key(), version, effect.value(), effect.expireAt());
    } else if (effect.kind() == StoredChange.Kind.TOUCH) {
      if (record != null) {
        image.put(effect.key(), version, image.load(record), effect.expireAt());
      }
    } else {
      image.remove(effect.key());
    }
  }

  /** Returns the complete new image, which becomes the store's. */
  SortedImage take() {
    SortedImage image = fresh;
    if (image == null) {
      throw new IllegalStateException("not built yet");
    }
    unpin();
    return image;
  }

  /** Returns the files of the new image. */
  ImageFiles files() {
    return files;
  }

  /**
   * Aborts the compaction. The files of the new image must be deleted before the log that it would
   * need. If they cannot be deleted, the log is kept until the store is closed.
   */
  public void abandon() throws IOException {
    SortedImage image = fresh;
    if (image == null) {
      builder.abandon();
    } else {
      image.close();
    }
    SortedImage.delete(disk, files); // also if it was complete, but could not be opened
    unpin();
  }
}
