package io.kvreactive.internal.store.image.nodes;

import java.io.IOException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mapdb.DataInput2;
import org.mapdb.DataOutput2;
import org.mapdb.serializer.GroupSerializer;

/**
 * Keeps the byte strings of a MapDB tree node packed, as they are stored, and searches them in
 * place: a lookup reads one array per level instead of creating an object per key. Stored as a
 * table of 4-byte ends, then the bytes.
 *
 * @param <A> the type that a byte string represents
 */
abstract class PackedArrays<A> implements GroupSerializer<A> {
  /** Space for the other half of a typical node. */
  private static final int NODE_BYTES = 2600;

  /**
   * A change of a node's byte strings.
   *
   * @param at the index of the original string before which the change is made
   * @param replaces true if that string is removed
   * @param bytes the inserted string, or null for none
   */
  record Edit(int at, boolean replaces, byte @Nullable [] bytes) {}

  /** The byte strings of a node: string i is in {@code bytes} from end i-1 to end i. */
  record Packed(byte[] bytes, int tableAt, int size) {
    static final Packed EMPTY = new Packed(new byte[0], 0, 0);

    private int dataAt() {
      return tableAt + Integer.BYTES * size;
    }

    private int end(int i) {
      int at = tableAt + Integer.BYTES * i;
      return (bytes[at] & 0xFF) << 24
          | (bytes[at + 1] & 0xFF) << 16
          | (bytes[at + 2] & 0xFF) << 8
          | bytes[at + 3] & 0xFF;
    }

    int from(int i) {
      return dataAt() + (i == 0 ? 0 : end(i - 1));
    }

    int to(int i) {
      return dataAt() + end(i);
    }

    int length() {
      return size == 0 ? 0 : Integer.BYTES * size + end(size - 1);
    }

    /**
     * Returns the strings from {@code from} to {@code to}, with {@code inserted} before one of
     * them.
     */
    private Packed with(int from, int to, int at, int skip, byte[][] inserted) {
      int newSize = to - from - skip + inserted.length;
      if (newSize == 0) {
        return EMPTY;
      }
      int head = at > from ? to(at - 1) - from(from) : 0;
      int tail = at + skip < to ? to(to - 1) - from(at + skip) : 0;
      int middle = 0;
      for (byte[] one : inserted) {
        middle += one.length;
      }
      byte[] out = new byte[Integer.BYTES * newSize + head + middle + tail];
      int data = Integer.BYTES * newSize;
      int slot = 0;
      int end = 0;
      for (int i = from; i < at; i++) {
        end += to(i) - from(i);
        putEnd(out, slot++, end);
      }
      for (byte[] one : inserted) {
        System.arraycopy(one, 0, out, data + end, one.length);
        end += one.length;
        putEnd(out, slot++, end);
      }
      int tailAt = end;
      for (int i = at + skip; i < to; i++) {
        end += to(i) - from(i);
        putEnd(out, slot++, end);
      }
      if (head > 0) {
        System.arraycopy(bytes, from(from), out, data, head);
      }
      if (tail > 0) {
        System.arraycopy(bytes, from(at + skip), out, data + tailAt, tail);
      }
      return new Packed(out, 0, newSize);
    }

    /** Compares one of the strings with another string. */
    int compare(int i, byte[] other) {
      return Arrays.compareUnsigned(bytes, from(i), to(i), other, 0, other.length);
    }

    /**
     * Returns the strings with changes.
     *
     * @param edits the changes in the order of their indexes
     */
    Packed with(List<Edit> edits) {
      int newSize = size;
      int length = size == 0 ? 0 : end(size - 1);
      for (Edit edit : edits) {
        newSize += (edit.bytes() == null ? 0 : 1) - (edit.replaces() ? 1 : 0);
        length += edit.bytes() == null ? 0 : edit.bytes().length;
        length -= edit.replaces() ? to(edit.at()) - from(edit.at()) : 0;
      }
      if (newSize == 0) {
        return EMPTY;
      }
      byte[] out = new byte[Integer.BYTES * newSize + length];
      int data = Integer.BYTES * newSize;
      int slot = 0;
      int end = 0;
      int next = 0;
      for (int e = 0; e <= edits.size(); e++) {
        int to = e == edits.size() ? size : edits.get(e).at();
        if (to > next) {
          int begin = from(next);
          System.arraycopy(bytes, begin, out, data + end, to(to - 1) - begin);
          int shift = end - begin;
          for (; next < to; next++) {
            putEnd(out, slot++, to(next) + shift);
          }
          end = to(to - 1) + shift;
        }
        if (e < edits.size()) {
          Edit edit = edits.get(e);
          byte[] added = edit.bytes();
          if (added != null) {
            System.arraycopy(added, 0, out, data + end, added.length);
            end += added.length;
            putEnd(out, slot++, end);
          }
          next += edit.replaces() ? 1 : 0;
        }
      }
      return new Packed(out, 0, newSize);
    }

    private static void putEnd(byte[] out, int slot, int end) {
      int at = Integer.BYTES * slot;
      out[at] = (byte) (end >>> 24);
      out[at + 1] = (byte) (end >>> 16);
      out[at + 2] = (byte) (end >>> 8);
      out[at + 3] = (byte) end;
    }
  }

  /** Returns the string of a value; may be shared, must not be changed. */
  abstract byte[] pack(A value);

  /** Returns the value of a string. */
  abstract A unpack(byte[] bytes, int from, int to);

  @Override
  public void serialize(DataOutput2 out, A value) throws IOException {
    byte[] bytes = pack(value);
    out.packInt(bytes.length);
    out.write(bytes);
  }

  @Override
  public A deserialize(DataInput2 in, int available) throws IOException {
    byte[] bytes = new byte[in.unpackInt()];
    in.readFully(bytes);
    return unpack(bytes, 0, bytes.length);
  }

  @Override
  public int valueArraySearch(Object values, A key) {
    return search((Packed) values, pack(key));
  }

  @Override
  @SuppressWarnings("rawtypes")
  public int valueArraySearch(Object values, A key, Comparator comparator) {
    return search((Packed) values, pack(key));
  }

  private static int search(Packed packed, byte[] key) {
    int low = 0;
    int high = packed.size() - 1;
    byte[] bytes = packed.bytes();
    while (low <= high) {
      int middle = low + high >>> 1;
      int order =
          Arrays.compareUnsigned(bytes, packed.from(middle), packed.to(middle), key, 0, key.length);
      if (order < 0) {
        low = middle + 1;
      } else if (order > 0) {
        high = middle - 1;
      } else {
        return middle;
      }
    }
    return -(low + 1);
  }

  @Override
  public void valueArraySerialize(DataOutput2 out, Object values) throws IOException {
    Packed packed = (Packed) values;
    out.ensureAvail(packed.length() + NODE_BYTES); // once, instead of repeated doubling
    write(out, packed);
  }

  /** Returns the maximum number of bytes that {@link #write} writes. */
  int length(Packed packed) {
    return packed.length();
  }

  void write(DataOutput2 out, Packed packed) throws IOException {
    out.write(packed.bytes(), packed.tableAt(), packed.length());
  }

  @Override
  public Object valueArrayDeserialize(DataInput2 in, int size) throws IOException {
    if (size == 0) {
      return Packed.EMPTY;
    }
    byte[] array = in.internalByteArray();
    if (array == null) {
      int last = in.internalByteBuffer().getInt(in.getPos() + Integer.BYTES * (size - 1));
      array = new byte[Integer.BYTES * size + last];
      in.readFully(array);
      return new Packed(array, 0, size);
    }
    // the pager hands out a fresh array per read, so a node may keep it
    Packed packed = new Packed(array, in.getPos(), size);
    in.setPos(in.getPos() + packed.length());
    return packed;
  }

  @Override
  public A valueArrayGet(Object values, int pos) {
    Packed packed = (Packed) values;
    return unpack(packed.bytes(), packed.from(pos), packed.to(pos));
  }

  @Override
  public int valueArraySize(Object values) {
    return ((Packed) values).size();
  }

  @Override
  public Object valueArrayEmpty() {
    return Packed.EMPTY;
  }

  @Override
  public Object valueArrayPut(Object values, int pos, A value) {
    Packed packed = (Packed) values;
    return packed.with(0, packed.size(), pos, 0, new byte[][] {pack(value)});
  }

  @Override
  public Object valueArrayUpdateVal(Object values, int pos, A value) {
    Packed packed = (Packed) values;
    return packed.with(0, packed.size(), pos, 1, new byte[][] {pack(value)});
  }

  @Override
  public Object valueArrayDeleteValue(Object values, int pos) {
    Packed packed = (Packed) values;
    // MapDB's contract for this one method: pos counts from 1
    return packed.with(0, packed.size(), pos - 1, 1, new byte[0][]);
  }

  @Override
  public Object valueArrayCopyOfRange(Object values, int from, int to) {
    return ((Packed) values).with(from, to, to, 0, new byte[0][]);
  }

  @Override
  @SuppressWarnings("unchecked")
  public Object valueArrayFromArray(Object[] objects) {
    byte[][] all = new byte[objects.length][];
    for (int i = 0; i < all.length; i++) {
      all[i] = pack((A) objects[i]);
    }
    return Packed.EMPTY.with(0, 0, 0, 0, all);
  }

  @Override
  public boolean isTrusted() {
    return true;
  }
}
