package io.kvreactive.internal.store.image.nodes;

import io.kvreactive.internal.store.image.nodes.PackedArrays.Packed;

/**
 * A leaf: one value for each key between its fences, and one for its high fence if a flag says so.
 *
 * @see ImageNode
 */
record LeafNode(int flags, long link, Packed keys, Packed values) implements ImageNode {
  static final LeafNode EMPTY = new LeafNode(LEFT | RIGHT, 0, Packed.EMPTY, Packed.EMPTY);

  @Override
  public int entries() {
    return values.size();
  }

  @Override
  public LeafNode part(int from, int to, long linkOfPart) {
    int own = to == values.size() ? 0 : HIGH_FENCE_HAS_VALUE;
    Packed some = (Packed) VALUES.valueArrayCopyOfRange(values, from, to);
    return new LeafNode(ends(from, to) | own, linkOfPart, keys(from, to), some);
  }

  /** Returns the index of the first key that has a value. */
  int first() {
    return has(LEFT) ? 0 : 1;
  }

  /** Returns the index of the last key that has a value. */
  int last() {
    return first() + values.size() - 1;
  }

  /** Returns a copy with other keys and values between its fences. */
  LeafNode with(Packed newKeys, Packed newValues) {
    return new LeafNode(flags, link, newKeys, newValues);
  }
}
