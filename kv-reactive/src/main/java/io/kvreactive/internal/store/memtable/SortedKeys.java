package io.kvreactive.internal.store.memtable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Some keys in ascending order. The bytes that tell most of them apart are in one array, so a
 * search reads few of the keys themselves, which are somewhere else in memory. Immutable.
 */
final class SortedKeys {
  static final SortedKeys NONE = new SortedKeys(new byte[0][], 0, new long[0]);

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private final byte[][] keys;
  private final int shared; // length of a prefix that all keys have
  private final long[] heads; // the eight bytes after the prefix, with zeros after the end of a key

  private SortedKeys(byte[][] keys, int shared, long[] heads) {
    this.keys = keys;
    this.shared = shared;
    this.heads = heads;
  }

  private static SortedKeys of(byte[][] keys) {
    if (keys.length == 0) {
      return NONE;
    }
    int shared = shared(keys);
    long[] heads = new long[keys.length];
    for (int i = 0; i < heads.length; i++) {
      heads[i] = head(keys[i], shared);
    }
    return new SortedKeys(keys, shared, heads);
  }

  /** Returns the length of the prefix that the first and the last key have, and so all keys. */
  private static int shared(byte[][] keys) {
    byte[] first = keys[0];
    int mismatch = Arrays.mismatch(first, keys[keys.length - 1]);
    return mismatch < 0 ? first.length : mismatch;
  }

  private static long head(byte[] key, int from) {
    if (key.length - from >= Long.BYTES) {
      return (long) LONG.get(key, from);
    }
    long head = 0;
    for (int i = from; i < from + Long.BYTES; i++) {
      head = head << Byte.SIZE | (i < key.length ? key[i] & 0xff : 0);
    }
    return head;
  }

  int size() {
    return keys.length;
  }

  byte[] get(int at) {
    return keys[at];
  }

  /** Returns the index of a key; if absent, -index - 1 of its insertion point. */
  int find(byte[] key) {
    int size = keys.length;
    if (shared > 0) {
      int mismatch = Arrays.mismatch(key, 0, Math.min(shared, key.length), keys[0], 0, shared);
      if (mismatch >= 0) {
        boolean isBefore =
            mismatch == key.length || Byte.compareUnsigned(key[mismatch], keys[0][mismatch]) < 0;
        return isBefore ? -1 : -size - 1;
      }
    }
    return search(key);
  }

  /** Returns the index of a key; negative if absent. */
  int indexOf(byte[] key) {
    return search(key); // a key without the prefix equals none
  }

  private int search(byte[] key) {
    long head = head(key, shared);
    int low = 0;
    int high = keys.length - 1;
    while (low <= high) {
      int middle = low + high >>> 1;
      int order = Long.compareUnsigned(heads[middle], head);
      if (order == 0) { // the keys may differ later, or in length
        order = Arrays.compareUnsigned(keys[middle], key);
      }
      if (order < 0) {
        low = middle + 1;
      } else if (order > 0) {
        high = middle - 1;
      } else {
        return middle;
      }
    }
    return -low - 1;
  }

  /** Returns these keys and one more. */
  SortedKeys with(int at, byte[] key) {
    int size = keys.length;
    byte[][] more = Arrays.copyOf(keys, size + 1);
    System.arraycopy(keys, at, more, at + 1, size - at);
    more[at] = key;
    if (size == 0 || (at == 0 || at == size) && shared(more) != shared) {
      return of(more);
    }
    long[] moreHeads = Arrays.copyOf(heads, size + 1);
    System.arraycopy(heads, at, moreHeads, at + 1, size - at);
    moreHeads[at] = head(key, shared);
    return new SortedKeys(more, shared, moreHeads);
  }

  SortedKeys without(int at) {
    byte[][] fewer = Arrays.copyOf(keys, keys.length - 1);
    System.arraycopy(keys, at + 1, fewer, at, fewer.length - at);
    return of(fewer);
  }

  /** Returns the keys from one index to another one, which is exclusive. */
  SortedKeys part(int from, int to) {
    return of(Arrays.copyOfRange(keys, from, to));
  }
}
