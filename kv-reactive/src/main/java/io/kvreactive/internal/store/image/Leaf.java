package io.kvreactive.internal.store.image;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.internal.store.image.PackedArrays.Packed;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.mapdb.DataIO;
import org.mapdb.DataInput2;
import org.mapdb.DataOutput2;
import org.mapdb.Serializer;
import org.mapdb.Store;

/**
 * A leaf as MapDB lays it out: before the keys that it has values for comes its low fence, unless
 * it is the leftmost, and behind them its high fence, unless it is the rightmost or has a value for
 * that key.
 *
 * @param link the leaf to the right; 0 when it is the rightmost
 */
record Leaf(int flags, long link, Packed keys, Packed values) {
  private static final ImageRecord.KeyCodec KEYS = new ImageRecord.KeyCodec();
  private static final ImageRecord.Codec VALUES = new ImageRecord.Codec();

  private static final int DIRECTORY = 8;
  static final int LEFT = 4;
  static final int RIGHT = 2;
  private static final int HIGH_FENCE_HAS_VALUE = 1;
  static final Leaf EMPTY = new Leaf(LEFT | RIGHT, 0, Packed.EMPTY, Packed.EMPTY);

  /** A leaf and the record that it was read from. */
  record Found(long recid, Leaf leaf) {}

  boolean has(int flag) {
    return (flags & flag) != 0;
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
    long recid = named(nodes.get(rootRecidRecid, Serializer.RECID), rootRecidRecid);
    while (true) {
      Object found = named(nodes.get(recid, search), recid);
      if (found instanceof Leaf reached) {
        return new Found(recid, reached);
      }
      recid = (Long) found;
    }
  }

  private static <R> R named(@Nullable R found, long recid) {
    if (found == null) {
      throw new KvException(KvErrorCode.CORRUPT, "no node " + recid + " in the image");
    }
    return found;
  }

  /** Writes leaves. */
  static final class Form implements Serializer<Leaf> {
    @Override
    public void serialize(DataOutput2 out, Leaf leaf) throws IOException {
      out.packInt(DataIO.parity1Set((leaf.keys.size() << 4 | leaf.flags) << 1));
      if (!leaf.has(RIGHT)) {
        out.packLong(leaf.link);
      }
      KEYS.valueArraySerialize(out, leaf.keys);
      VALUES.valueArraySerialize(out, leaf.values);
    }

    @Override
    public Leaf deserialize(DataInput2 in, int available) {
      throw new UnsupportedOperationException("for writing");
    }
  }

  /** Reads a node on the way to a key: gives the leaf, or the recid of the next. */
  private static final class Search implements Serializer<Object> {
    private final byte[] key;

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
        return link;
      }
      if ((head & DIRECTORY) != 0) {
        int child = Math.max(0, (found < 0 ? -found - 1 : found) - 1 + left);
        in.unpackLongSkip(child);
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
