package io.kvreactive.internal.store.memtable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * A leaf of a {@link KeyTree}. Its keys never change; the newest version of each may be replaced.
 */
final class MemtableLeaf implements MemtableNode {
  static final MemtableLeaf EMPTY = new MemtableLeaf(SortedKeys.NONE, new VersionedValue[0]);

  private static final VarHandle NEWEST =
      MethodHandles.arrayElementVarHandle(VersionedValue[].class);

  private final SortedKeys keys;
  private final VersionedValue[] newest;

  private MemtableLeaf(SortedKeys keys, VersionedValue[] newest) {
    this.keys = keys;
    this.newest = newest;
  }

  int size() {
    return keys.size();
  }

  byte[] key(int at) {
    return keys.get(at);
  }

  VersionedValue newest(int at) {
    return (VersionedValue) NEWEST.getAcquire(newest, at);
  }

  void set(int at, VersionedValue state) {
    NEWEST.setRelease(newest, at, state);
  }

  /** Returns the index of a key; if absent, -index - 1 of its insertion point. */
  int find(byte[] key) {
    return keys.find(key);
  }

  /** Returns the index of a key; negative if absent. */
  int indexOf(byte[] key) {
    return keys.indexOf(key);
  }

  /** Returns the index of the first key that is at or after a key. */
  int ceiling(byte[] key) {
    int at = find(key);
    return at < 0 ? -at - 1 : at;
  }

  MemtableLeaf with(int at, byte[] key, VersionedValue state) {
    int size = newest.length;
    VersionedValue[] newNewest = Arrays.copyOf(newest, size + 1);
    System.arraycopy(newest, at, newNewest, at + 1, size - at);
    newNewest[at] = state;
    return new MemtableLeaf(keys.with(at, key), newNewest);
  }

  MemtableLeaf without(int at) {
    int size = newest.length;
    VersionedValue[] newNewest = Arrays.copyOf(newest, size - 1);
    System.arraycopy(newest, at + 1, newNewest, at, size - at - 1);
    return new MemtableLeaf(keys.without(at), newNewest);
  }

  /** Returns a leaf with some of the keys. */
  MemtableLeaf part(int from, int to) {
    return new MemtableLeaf(keys.part(from, to), Arrays.copyOfRange(newest, from, to));
  }
}
