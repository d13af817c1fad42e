package io.kvreactive.internal.store;

import io.kvreactive.internal.store.file.Disk;
import io.kvreactive.internal.store.image.ImageBuilder;
import io.kvreactive.internal.store.image.ImageFiles;
import io.kvreactive.internal.store.image.SortedImage;
import io.kvreactive.internal.store.image.nodes.ImageRecord;
import io.kvreactive.internal.store.log.AppliedMutation;
import io.kvreactive.internal.store.log.CommitLog;
import io.kvreactive.internal.store.log.CommitRecord;
import io.kvreactive.internal.store.log.LogReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Builds the image anew beside the old one: first copies its records in the order of their keys,
 * then repeats from the log what was written to the old one meanwhile. All on the thread that
 * writes the image, in steps between which it goes on writing. Until the end the old image is the
 * store's; a crash leaves one of the two, and the log from where it is.
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
   * Starts.
   *
   * @param old a store's image, with files
   * @throws io.kvreactive.KvException when the log has a gap
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
      throw new IllegalStateException(e); // it only takes it out of a list
    }
  }

  /** Records copied so far. */
  public long copied() {
    return copied;
  }

  /** Records there were at the start. */
  public long keys() {
    return keys;
  }

  /** Returns true if all is copied, and what came meanwhile is being repeated. */
  public boolean isCatchingUp() {
    return fresh != null;
  }

  /**
   * Goes on for about so long.
   *
   * @return true if it is done: {@link #take} comes next, before anything else is written to the
   *     old image
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
        for (AppliedMutation effect : commit.effects()) {
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

  /** Does what is not done yet: records were copied at different versions. */
  private void repeat(SortedImage image, AppliedMutation effect, long version) throws IOException {
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
    if (effect.kind() == AppliedMutation.Kind.SET && effect.value() != null) {
      image.put(effect.key(), version, effect.value(), effect.expireAt());
    } else if (effect.kind() == AppliedMutation.Kind.TOUCH) {
      if (record != null) {
        image.put(effect.key(), version, image.load(record), effect.expireAt());
      }
    } else {
      image.remove(effect.key());
    }
  }

  /** Returns the new image; the store's from now on. */
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
   * Gives the new image up. Its files must go before the log does that it would need; where they
   * cannot be deleted, the log is kept until the store is closed.
   */
  void abandon() throws IOException {
    SortedImage image = fresh;
    if (image == null) {
      builder.abandon();
    } else {
      image.close();
    }
    SortedImage.delete(disk, files); // also one that was finished, but could not be opened
    unpin();
  }
}
