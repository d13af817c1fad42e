package io.kvreactive.internal.store.memtable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * A leaf of a {@link KeyTree}. Its keys never change; the newest version of each may be replaced.
 */
final class MemtableLeaf implements MemtableNode {
  static final MemtableLeaf EMPTY = new MemtableLeaf(new byte[0][], new VersionedValue[0]);

  private static final VarHandle NEWEST =
      MethodHandles.arrayElementVarHandle(VersionedValue[].class);

  private final byte[][] keys;
  private final VersionedValue[] newest;

  private MemtableLeaf(byte[][] keys, VersionedValue[] newest) {
    this.keys = keys;
    this.newest = newest;
  }

  int size() {
    return keys.length;
  }

  byte[] key(int at) {
    return keys[at];
  }

  VersionedValue newest(int at) {
    return (VersionedValue) NEWEST.getAcquire(newest, at);
  }

  void set(int at, VersionedValue state) {
    NEWEST.setRelease(newest, at, state);
  }

  /** Returns the index of a key; if absent, -index - 1 of its insertion point. */
  int find(byte[] key) {
    int low = 0;
    int high = keys.length - 1;
    while (low <= high) {
      int middle = low + high >>> 1;
      int order = Arrays.compareUnsigned(keys[middle], key);
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

  /** Returns the index of the first key that is at or after a key. */
  int ceiling(byte[] key) {
    int at = find(key);
    return at < 0 ? -at - 1 : at;
  }

  MemtableLeaf with(int at, byte[] key, VersionedValue state) {
    int size = keys.length;
    byte[][] newKeys = Arrays.copyOf(keys, size + 1);
    System.arraycopy(keys, at, newKeys, at + 1, size - at);
    newKeys[at] = key;
    VersionedValue[] newNewest = Arrays.copyOf(newest, size + 1);
    System.arraycopy(newest, at, newNewest, at + 1, size - at);
    newNewest[at] = state;
    return new MemtableLeaf(newKeys, newNewest);
  }

  MemtableLeaf without(int at) {
    int size = keys.length;
    byte[][] newKeys = Arrays.copyOf(keys, size - 1);
    System.arraycopy(keys, at + 1, newKeys, at, size - at - 1);
    VersionedValue[] newNewest = Arrays.copyOf(newest, size - 1);
    System.arraycopy(newest, at + 1, newNewest, at, size - at - 1);
    return new MemtableLeaf(newKeys, newNewest);
  }

  /** Returns a leaf with some of the keys. */
  MemtableLeaf part(int from, int to) {
    return new MemtableLeaf(
        Arrays.copyOfRange(keys, from, to), Arrays.copyOfRange(newest, from, to));
  }
}
