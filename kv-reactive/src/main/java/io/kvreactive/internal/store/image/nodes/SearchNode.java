package io.kvreactive.internal.store.image.nodes;

import io.kvreactive.internal.store.image.nodes.PackedArrays.Packed;
import java.util.Arrays;

/**
 * An inner node prepared for lookups. The eight bytes of each key after the prefix that all keys
 * share are in one array, so that a binary search reads few cache lines. It reads the keys
 * themselves only where these bytes are equal.
 */
final class SearchNode {
  private final long recid;
  private final long link;
  private final Packed keys;
  private final int firstChild; // the index of the key that bounds the first child
  private final long[] children;
  private final int shared; // length of the shared prefix
  private final long[] words; // the bytes after it, with zeros behind the end of a key

  /**
   * Prepares a node.
   *
   * @param recid the record of the node
   * @param link the node to the right; 0 for the rightmost
   * @param firstChild the index of the key that bounds the first child: 1 if the first key is a low
   *     fence, else 0
   * @param children the recids of the children; not copied
   */
  SearchNode(long recid, long link, Packed keys, int firstChild, long[] children) {
    this.recid = recid;
    this.link = link;
    this.keys = keys;
    this.firstChild = firstChild;
    this.children = children;
    int last = keys.size() - 1;
    byte[] bytes = keys.bytes();
    // the keys are sorted, so the first and the last share what all share
    this.shared =
        last <= 0
            ? 0
            : Math.max(
                0,
                Arrays.mismatch(
                    bytes, keys.from(0), keys.to(0), bytes, keys.from(last), keys.to(last)));
    this.words = new long[keys.size()];
    for (int i = 0; i < words.length; i++) {
      words[i] = word(bytes, keys.from(i) + shared, keys.to(i));
    }
  }

  long recid() {
    return recid;
  }

  /** Returns the child for a key, or the node to the right for a key behind the high fence. */
  long next(byte[] key) {
    int child = ceiling(key) - firstChild;
    return child < children.length ? children[child] : link;
  }

  /** Returns the index of the first key that is not before another one. */
  private int ceiling(byte[] key) {
    int size = words.length;
    if (size == 0) {
      return 0;
    }
    int order = comparePrefix(key);
    if (order != 0) {
      return order < 0 ? 0 : size;
    }
    long wanted = word(key, shared, key.length);
    int low = 0;
    int high = size - 1;
    while (low <= high) {
      int middle = low + high >>> 1;
      long word = words[middle];
      boolean isBefore =
          word == wanted ? keys.compare(middle, key) < 0 : Long.compareUnsigned(word, wanted) < 0;
      if (isBefore) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /** Compares the first bytes of a key with the shared prefix. */
  private int comparePrefix(byte[] key) {
    int from = keys.from(0);
    int length = Math.min(shared, key.length);
    return Arrays.compareUnsigned(key, 0, length, keys.bytes(), from, from + shared);
  }

  private static long word(byte[] bytes, int from, int to) {
    if (to - from >= Long.BYTES) {
      return (long) NodeView.LONG.get(bytes, from);
    }
    long word = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      word = word << 8 | (from + i < to ? bytes[from + i] & 0xFF : 0);
    }
    return word;
  }
}
