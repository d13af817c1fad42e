package io.kvreactive.internal.store.image;

import io.kvreactive.internal.store.image.PackedArrays.Packed;

/**
 * A node that holds values: one for each key between its fences, and one for its high fence if it
 * says so.
 *
 * @see Node
 */
record Leaf(int flags, long link, Packed keys, Packed values) implements Node {
  static final Leaf EMPTY = new Leaf(LEFT | RIGHT, 0, Packed.EMPTY, Packed.EMPTY);

  @Override
  public int entries() {
    return values.size();
  }

  @Override
  public Leaf part(int from, int to, long linkOfPart) {
    int own = to == values.size() ? 0 : HIGH_FENCE_HAS_VALUE;
    Packed some = (Packed) VALUES.valueArrayCopyOfRange(values, from, to);
    return new Leaf(ends(from, to) | own, linkOfPart, keys(from, to), some);
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
}
