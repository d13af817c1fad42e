package io.kvreactive.internal.store.memtable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * An inner node of a {@link KeyTree}. Its bounds never change; a child may be replaced by another
 * one within the same bounds.
 */
final class MemtableBranch implements MemtableNode {
  private static final VarHandle CHILD = MethodHandles.arrayElementVarHandle(MemtableNode[].class);

  private final byte[][] lows; // inclusive low bounds; the first one is unused
  private final MemtableNode[] children;

  MemtableBranch(byte[][] lows, MemtableNode[] children) {
    this.lows = lows;
    this.children = children;
  }

  int size() {
    return lows.length;
  }

  /** Returns the lowest key that the child may have. */
  byte[] low(int place) {
    return lows[place];
  }

  MemtableNode child(int place) {
    return (MemtableNode) CHILD.getAcquire(children, place);
  }

  void set(int place, MemtableNode child) {
    CHILD.setRelease(children, place, child);
  }

  /** Returns the index of the child that may have a key. */
  int placeOf(byte[] key) {
    return lastLow(key, 0);
  }

  /** Returns the index of the child that may have the keys just before a key. */
  int placeBefore(byte[] key) {
    return lastLow(key, -1);
  }

  /** Returns the last index whose low bound compares to the key with {@code most} or less. */
  private int lastLow(byte[] key, int most) {
    int low = 1;
    int high = lows.length - 1;
    while (low <= high) {
      int middle = low + high >>> 1;
      if (Integer.signum(Arrays.compareUnsigned(lows[middle], key)) <= most) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high;
  }

  /** Returns a copy in which two children replace one. */
  MemtableBranch split(int place, MemtableNode left, MemtableNode right, byte[] between) {
    int size = lows.length;
    byte[][] newLows = Arrays.copyOf(lows, size + 1);
    System.arraycopy(lows, place + 1, newLows, place + 2, size - place - 1);
    newLows[place + 1] = between;
    MemtableNode[] newChildren = Arrays.copyOf(children, size + 1);
    System.arraycopy(children, place + 1, newChildren, place + 2, size - place - 1);
    newChildren[place] = left;
    newChildren[place + 1] = right;
    return new MemtableBranch(newLows, newChildren);
  }

  /** Returns a node with some of the children. */
  MemtableBranch part(int from, int to) {
    return new MemtableBranch(
        Arrays.copyOfRange(lows, from, to), Arrays.copyOfRange(children, from, to));
  }
}
