package io.kvreactive.internal.store.image;

import io.kvreactive.internal.store.image.nodes.ImageRecord;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Consumer;
import org.mapdb.BTreeMap;

/**
 * Walks all records of an image in steps, and knows at its end how many there are: what changes
 * behind it between two steps is counted too. On the thread that changes the image.
 */
public final class ImageWalk implements AutoCloseable {
  private final BTreeMap<byte[], ImageRecord> tree;
  private final Consumer<ImageWalk> closed;
  private byte[] last = {}; // no key is empty
  private long keys;

  /** Takes what is found. */
  public interface Visitor {
    void record(byte[] key, ImageRecord record);

    /**
     * Takes a key that is not behind the one before it; the walk ends there.
     *
     * @param key what follows
     * @param last what it follows
     */
    void outOfOrder(byte[] key, byte[] last);
  }

  ImageWalk(BTreeMap<byte[], ImageRecord> tree, Consumer<ImageWalk> closed) {
    this.tree = tree;
    this.closed = closed;
  }

  /** How many records are there up to the current place. */
  public long keys() {
    return keys;
  }

  /** Returns the key of the last record that was visited; empty before the first. */
  public byte[] last() {
    return last;
  }

  /**
   * Visits the next records.
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
