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

  private final SortedKeys lows; // inclusive low bounds of all children but the first
  private final MemtableNode[] children;

  private MemtableBranch(SortedKeys lows, MemtableNode[] children) {
    this.lows = lows;
    this.children = children;
  }

  /**
   * Creates a node with two children.
   *
   * @param low the lowest key that the second one may have
   */
  MemtableBranch(MemtableNode first, byte[] low, MemtableNode second) {
    this(SortedKeys.NONE.with(0, low), new MemtableNode[] {first, second});
  }

  int size() {
    return children.length;
  }

  /** Returns the lowest key that a child other than the first may have. */
  byte[] low(int place) {
    return lows.get(place - 1);
  }

  MemtableNode child(int place) {
    return (MemtableNode) CHILD.getAcquire(children, place);
  }

  void set(int place, MemtableNode child) {
    CHILD.setRelease(children, place, child);
  }

  /** Returns the index of the child that may have a key. */
  int placeOf(byte[] key) {
    int at = lows.find(key);
    return at < 0 ? -at - 1 : at + 1;
  }

  /** Returns the index of the child that may have the keys just before a key. */
  int placeBefore(byte[] key) {
    int at = lows.find(key);
    return at < 0 ? -at - 1 : at;
  }

  /** Returns a copy in which two children replace one. */
  MemtableBranch split(int place, MemtableNode left, MemtableNode right, byte[] between) {
    int size = children.length;
    MemtableNode[] newChildren = Arrays.copyOf(children, size + 1);
    System.arraycopy(children, place + 1, newChildren, place + 2, size - place - 1);
    newChildren[place] = left;
    newChildren[place + 1] = right;
    return new MemtableBranch(lows.with(place, between), newChildren);
  }

  /** Returns a node with some of the children. */
  MemtableBranch part(int from, int to) {
    return new MemtableBranch(lows.part(from, to - 1), Arrays.copyOfRange(children, from, to));
  }
}
