package io.kvreactive.internal.store.image.nodes;

import io.kvreactive.internal.store.image.nodes.PackedArrays.Packed;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;
import org.mapdb.DataIO;
import org.mapdb.DataInput2;

/**
 * A node in the buffer from which it is read, such as a mapping of the file: a lookup searches it
 * without a copy. Valid during the deserialization of the node only.
 *
 * @see ImageNode
 */
final class NodeView {
  static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  /** The byte strings of a node; see {@link PackedArrays}. */
  private record Strings(ByteBuffer bytes, int tableAt, int size) {
    private int end(int i) {
      return bytes.getInt(tableAt + Integer.BYTES * i);
    }

    int from(int i) {
      return tableAt + Integer.BYTES * size + (i == 0 ? 0 : end(i - 1));
    }

    int to(int i) {
      return tableAt + Integer.BYTES * size + end(i);
    }

    int behind() {
      return size == 0 ? tableAt : to(size - 1);
    }

    int compare(int i, byte[] other) {
      int at = from(i);
      int length = to(i) - at;
      int common = Math.min(length, other.length);
      int same = 0;
      for (; same <= common - Long.BYTES; same += Long.BYTES) {
        long own = bytes.getLong(at + same);
        long otherLong = (long) LONG.get(other, same);
        if (own != otherLong) {
          return Long.compareUnsigned(own, otherLong);
        }
      }
      for (; same < common; same++) {
        int order = Byte.compareUnsigned(bytes.get(at + same), other[same]);
        if (order != 0) {
          return order;
        }
      }
      return length - other.length;
    }

    /** Returns the index of the first string that is not before another one. */
    int ceiling(byte[] other) {
      return ceiling(other, 0, size - 1);
    }

    /** Like {@link #ceiling(byte[])}, for a result that is probably at or just after an index. */
    int ceilingNear(byte[] other, int start) {
      int low = start;
      int step = 1;
      while (low + step < size && compare(low + step - 1, other) < 0) {
        low += step;
        step *= 2;
      }
      return ceiling(other, low, Math.min(low + step, size) - 1);
    }

    private int ceiling(byte[] other, int from, int to) {
      int low = from;
      int high = to;
      while (low <= high) {
        int middle = low + high >>> 1;
        if (compare(middle, other) < 0) {
          low = middle + 1;
        } else {
          high = middle - 1;
        }
      }
      return low;
    }

    byte[] get(int i) {
      byte[] copy = new byte[to(i) - from(i)];
      bytes.get(from(i), copy);
      return copy;
    }

    Packed copy(int from, int to) {
      int table = Integer.BYTES * (to - from);
      int start = from(from);
      byte[] copy = new byte[table + to(to - 1) - start];
      ByteBuffer ends = ByteBuffer.wrap(copy);
      for (int i = from; i < to; i++) {
        ends.putInt(to(i) - start);
      }
      bytes.get(start, copy, table, copy.length - table);
      return new Packed(copy, 0, to - from);
    }
  }

  private final int flags;
  private final long link;
  private final Strings keys;
  private final Strings values;

  private NodeView(int flags, long link, Strings keys, Strings values) {
    this.flags = flags;
    this.link = link;
    this.keys = keys;
    this.values = values;
  }

  /** Returns the node at the position of the input. */
  static NodeView of(DataInput2 in) throws IOException {
    int head = DataIO.parity1Get(in.unpackInt()) >>> 1;
    int flags = head & 0xF;
    boolean isLast = (flags & ImageNode.RIGHT) != 0;
    long link = isLast ? 0 : in.unpackLong();
    byte[] array = in.internalByteArray();
    ByteBuffer bytes = array == null ? in.internalByteBuffer() : ByteBuffer.wrap(array);
    int size = head >>> 4;
    Strings keys = new Strings(bytes, in.getPos(), size);
    int fences = (flags & ImageNode.LEFT) != 0 ? 0 : 1;
    fences += isLast || (flags & ImageNode.HIGH_FENCE_HAS_VALUE) != 0 ? 0 : 1;
    return new NodeView(flags, link, keys, new Strings(bytes, keys.behind(), size - fences));
  }

  boolean isInner() {
    return (flags & ImageNode.DIRECTORY) != 0;
  }

  /** Returns the child for a key, or the node to the right; see {@link SearchNode#next}. */
  long next(DataInput2 in, byte[] key) throws IOException {
    int children = keys.size() - 1 + Integer.bitCount(flags & (ImageNode.LEFT | ImageNode.RIGHT));
    int child = keys.ceiling(key) - first();
    if (child >= children) {
      return link;
    }
    in.setPos(keys.behind());
    in.unpackLongSkip(child);
    return in.unpackLong();
  }

  private boolean isLast() {
    return (flags & ImageNode.RIGHT) != 0;
  }

  /** Returns the index of the first key that is no low fence. */
  private int first() {
    return (flags & ImageNode.LEFT) != 0 ? 0 : 1;
  }

  /** Returns the node to the right; 0 for the rightmost. */
  long link() {
    return link;
  }

  /**
   * Returns the index of the first key that is not before another one; may be the number of keys.
   */
  int ceiling(byte[] key) {
    return keys.ceiling(key);
  }

  /** Like {@link #ceiling}, for a key that is at or after the one with an index. */
  int ceilingNear(byte[] key, int start) {
    return keys.ceilingNear(key, start);
  }

  /** Returns true if a key with that ceiling is behind the high fence. */
  boolean isBehindHighFence(int ceiling) {
    return ceiling == keys.size() && !isLast();
  }

  /**
   * Returns the record of a key, or null if there is none.
   *
   * @param at the ceiling of the key
   */
  @Nullable ImageRecord find(byte[] key, int at) {
    int value = at - first();
    if (value < 0 || value >= values.size() || keys.compare(at, key) != 0) {
      return null;
    }
    byte[] packed = values.get(value);
    return ImageNode.VALUES.unpack(packed, 0, packed.length);
  }

  /**
   * Returns the entries of a range, as a leaf without fences.
   *
   * @param start the ceiling of the start
   * @param end the ceiling of the end
   */
  LeafNode range(int start, int end) {
    int from = Math.max(start, first());
    int to = Math.min(end, first() + values.size());
    return from >= to
        ? LeafNode.EMPTY
        : new LeafNode(
            ImageNode.LEFT | ImageNode.RIGHT,
            0,
            keys.copy(from, to),
            values.copy(from - first(), to - first()));
  }
}
