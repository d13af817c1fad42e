package io.kvreactive.internal.store.image;

import io.kvreactive.internal.store.image.nodes.ImageRecord;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Consumer;
import org.mapdb.BTreeMap;

/**
 * Visits all records of an image in steps, and counts them. Changes between two steps of records
 * that were already visited are included in the count. Confined to the thread that changes the
 * image.
 */
public final class ImageWalk implements AutoCloseable {
  private final BTreeMap<byte[], ImageRecord> tree;
  private final Consumer<ImageWalk> closed;
  private byte[] last = {}; // no key is empty
  private long keys;

  /** Receives the records. */
  public interface Visitor {
    void record(byte[] key, ImageRecord record);

    /**
     * Receives a key that is not greater than the previous one; the walk ends there.
     *
     * @param key the key
     * @param last the previous key
     */
    void outOfOrder(byte[] key, byte[] last);
  }

  ImageWalk(BTreeMap<byte[], ImageRecord> tree, Consumer<ImageWalk> closed) {
    this.tree = tree;
    this.closed = closed;
  }

  /** Returns the number of records up to the current position. */
  public long keys() {
    return keys;
  }

  /** Returns the key of the last record that was visited; empty before the first. */
  public byte[] last() {
    return last;
  }

  /**
   * Visits the next records, at most {@code most}.
   *
   * @return true if there are more
   */
  public boolean step(int most, Visitor visitor) {
    Iterator<Map.Entry<byte[], ImageRecord>> entries =
        tree.entryIterator(last, last.length == 0, null, false);
    for (int i = 0; i < most; i++) {
      if (!entries.hasNext()) {
        return false;
      }
      Map.Entry<byte[], ImageRecord> entry = entries.next();
      byte[] key = entry.getKey();
      if (Arrays.compareUnsigned(key, last) <= 0) {
        visitor.outOfOrder(key, last);
        return false;
      }
      last = key;
      keys++;
      visitor.record(key, entry.getValue());
    }
    return true;
  }

  void added(byte[] key) {
    keys += isBehind(key) ? 1 : 0;
  }

  void removed(byte[] key) {
    keys -= isBehind(key) ? 1 : 0;
  }

  private boolean isBehind(byte[] key) {
    return Arrays.compareUnsigned(key, last) <= 0;
  }

  @Override
  public void close() {
    closed.accept(this);
  }
}
