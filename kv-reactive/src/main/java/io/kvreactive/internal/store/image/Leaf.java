package io.kvreactive.internal.store.image;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.internal.store.image.PackedArrays.Packed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mapdb.DataIO;
import org.mapdb.DataInput2;
import org.mapdb.DataOutput2;
import org.mapdb.Serializer;
import org.mapdb.Store;

/**
 * A leaf: it has a value for its high fence only if it says so.
 *
 * @see Node
 */
record Leaf(int flags, long link, Packed keys, Packed values) implements Node {
  private static final ImageRecord.Codec VALUES = new ImageRecord.Codec();

  private static final int DEPTH = 5;

  static final Leaf EMPTY = new Leaf(LEFT | RIGHT, 0, Packed.EMPTY, Packed.EMPTY);

  /**
   * A leaf and where it was read.
   *
   * @param recid its record
   * @param path those of the nodes above it, from the root
   */
  record Found(long recid, Leaf leaf, List<Long> path) {}

  @Override
  public int entries() {
    return values.size();
  }

  @Override
  public Leaf part(int from, int to, long rightOf) {
    int inside = to == values.size() ? 0 : HIGH_FENCE_HAS_VALUE;
    return new Leaf(
        ends(from, to) | inside,
        rightOf,
        keys(from, to),
        (Packed) VALUES.valueArrayCopyOfRange(values, from, to));
  }

  @Override
  public void writeEntries(DataOutput2 out) throws IOException {
    VALUES.valueArraySerialize(out, values);
  }

  /** The place of the first key that has a value. */
  int first() {
    return has(LEFT) ? 0 : 1;
  }

  /** The place of the last key that has a value. */
  int last() {
    return first() + values.size() - 1;
  }

  /** The same leaf with other keys between its fences. */
  Leaf with(Packed newKeys, Packed newValues) {
    return new Leaf(flags, link, newKeys, newValues);
  }

  /**
   * The leaf that has a key between its fences.
   *
   * @param nodes where the tree is
   * @param rootRecidRecid the record that names its root
   */
  static Found find(Store nodes, long rootRecidRecid, byte[] key) {
    Search search = new Search(key);
    List<Long> path = new ArrayList<>(DEPTH);
    long recid = named(nodes.get(rootRecidRecid, Serializer.RECID), rootRecidRecid);
    while (true) {
      Object found = named(nodes.get(recid, search), recid);
      if (found instanceof Leaf reached) {
        return new Found(recid, reached, path);
      }
      if (search.down) {
        path.add(recid);
      }
      recid = (Long) found;
    }
  }

  static <R> R named(@Nullable R found, long recid) {
    if (found == null) {
      throw new KvException(KvErrorCode.CORRUPT, "no node " + recid + " in the image");
    }
    return found;
  }

  /** Reads a node on the way to a key: gives the leaf, or the recid of the next. */
  private static final class Search implements Serializer<Object> {
    private final byte[] key;
    boolean down; // to a child, not to the right

    Search(byte[] key) {
      this.key = key;
    }

    @Override
    public Object deserialize(DataInput2 in, int available) throws IOException {
      int head = DataIO.parity1Get(in.unpackInt()) >>> 1;
      int size = head >>> 4;
      int left = (head & LEFT) != 0 ? 1 : 0;
      int right = (head & RIGHT) != 0 ? 1 : 0;
      long link = right == 1 ? 0 : in.unpackLong();
      Packed keys = (Packed) KEYS.valueArrayDeserialize(in, size);
      int found = KEYS.valueArraySearch(keys, key);
      if (right == 0 && -found - 1 == size) { // behind the high fence
        down = false;
        return link;
      }
      if ((head & DIRECTORY) != 0) {
        int child = Math.max(0, (found < 0 ? -found - 1 : found) - 1 + left);
        in.unpackLongSkip(child);
        down = true;
        return in.unpackLong();
      }
      int values = size - 2 + left + right + (head & HIGH_FENCE_HAS_VALUE);
      return new Leaf(head & 0xF, link, keys, (Packed) VALUES.valueArrayDeserialize(in, values));
    }

    @Override
    public void serialize(DataOutput2 out, Object value) {
      throw new UnsupportedOperationException("for reading");
    }
  }
}
