package io.kvreactive.internal.api.tx;

import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** A set of keys as ranges that neither overlap nor touch. */
final class KeyRanges {
  private final TreeMap<byte[], byte[]> ends; // by start

  KeyRanges() {
    ends = new TreeMap<>(Arrays::compareUnsigned);
  }

  /** A copy. */
  KeyRanges(KeyRanges other) {
    ends = new TreeMap<>(other.ends);
  }

  /**
   * @param start inclusive
   * @param end exclusive; nothing is added when it is not after the start
   */
  void add(byte[] start, byte[] end) {
    if (Arrays.compareUnsigned(start, end) >= 0) {
      return;
    }
    byte[] from = start;
    byte[] to = end;
    Map.Entry<byte[], byte[]> before = ends.lowerEntry(start);
    if (before != null && Arrays.compareUnsigned(before.getValue(), start) >= 0) {
      from = before.getKey();
      to = later(to, before.getValue());
    }
    Map.Entry<byte[], byte[]> next;
    while ((next = ends.ceilingEntry(from)) != null
        && Arrays.compareUnsigned(next.getKey(), to) <= 0) {
      to = later(to, next.getValue());
      ends.remove(next.getKey());
    }
    ends.put(from, to);
  }

  private static byte[] later(byte[] a, byte[] b) {
    return Arrays.compareUnsigned(a, b) >= 0 ? a : b;
  }

  boolean contains(byte[] key) {
    Map.Entry<byte[], byte[]> before = ends.floorEntry(key);
    return before != null && Arrays.compareUnsigned(key, before.getValue()) < 0;
  }

  boolean isEmpty() {
    return ends.isEmpty();
  }

  int size() {
    return ends.size();
  }

  /** The ends by their starts, ascending. */
  NavigableMap<byte[], byte[]> asMap() {
    return ends;
  }
}
