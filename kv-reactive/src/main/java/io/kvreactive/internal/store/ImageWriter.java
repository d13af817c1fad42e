package io.kvreactive.internal.store;

import io.kvreactive.KvValue;
import io.kvreactive.internal.store.image.SortedImage;
import io.kvreactive.internal.store.image.nodes.ImageRecord;
import io.kvreactive.internal.store.memtable.Memtable;
import io.kvreactive.internal.store.memtable.RangeDeletion;
import io.kvreactive.internal.store.memtable.VersionedValue;
import java.io.IOException;
import java.util.Iterator;
import java.util.Map;

/**
 * Writes a memtable to the image in key order, with checkpoints that bound the memory of changed
 * pages. A crash meanwhile is harmless: the log still has the whole memtable, and replaying it
 * gives the same state.
 */
final class ImageWriter {
  private final SortedImage image;
  private final long dirtyBytes;
  private volatile boolean stopped;

  ImageWriter(SortedImage image, long dirtyBytes) {
    this.image = image;
    this.dirtyBytes = dirtyBytes;
  }

  /**
   * Brings the image to {@code version}.
   *
   * @param millis the store's time
   * @return false if {@link #stop} ended the write early
   */
  boolean write(Memtable memtable, long version, long millis) throws IOException {
    for (RangeDeletion deletion : memtable.deletions().disjoint()) {
      if (!delete(deletion)) {
        return false;
      }
    }
    Iterator<Map.Entry<byte[], VersionedValue>> entries = memtable.all();
    while (entries.hasNext()) {
      Map.Entry<byte[], VersionedValue> entry = entries.next();
      VersionedValue state = memtable.state(entry.getKey(), entry.getValue(), Long.MAX_VALUE);
      if (state != null) {
        apply(entry.getKey(), state);
      }
      if (!mayContinue()) {
        image.flush();
        return false;
      }
    }
    image.advance(version, millis);
    image.checkpoint();
    return true;
  }

  private void apply(byte[] key, VersionedValue state) {
    KvValue value = state.value();
    if (value == null) {
      image.removeInOrder(key);
    } else {
      image.putInOrder(key, state.version(), value, state.expireAt());
    }
  }

  private boolean delete(RangeDeletion deletion) throws IOException {
    Iterator<Map.Entry<byte[], ImageRecord>> entries =
        image.range(deletion.start(), deletion.end(), false);
    while (entries.hasNext()) {
      Map.Entry<byte[], ImageRecord> entry = entries.next();
      if (entry.getValue().version() < deletion.version()) {
        image.remove(entry.getKey());
      }
      if (!mayContinue()) {
        return false;
      }
    }
    return true;
  }

  private boolean mayContinue() throws IOException {
    if (image.dirtyBytes() >= dirtyBytes) {
      image.checkpoint();
    }
    return !stopped;
  }

  /** Makes a running {@link #write} return soon. Thread-safe. */
  void stop() {
    stopped = true;
  }
}
