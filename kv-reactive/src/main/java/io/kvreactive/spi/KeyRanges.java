package io.kvreactive.spi;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** A set of keys as ranges that neither overlap nor adjoin. Not thread-safe. */
public final class KeyRanges {
  private final TreeMap<byte[], byte[]> ends; // exclusive ends by inclusive starts

  /** Creates an empty set. */
  public KeyRanges() {
    ends = new TreeMap<>(Arrays::compareUnsigned);
  }

  /** Creates a copy of a set. */
  public KeyRanges(KeyRanges other) {
    ends = new TreeMap<>(other.ends);
  }

  /**
   * Adds a range.
   *
   * @param start the inclusive start
   * @param end the exclusive end; nothing is added if it is not after the start
   */
  public void add(byte[] start, byte[] end) {
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

  /** Returns true if a key lies in one of the ranges. */
  public boolean contains(byte[] key) {
    Map.Entry<byte[], byte[]> before = ends.floorEntry(key);
    return before != null && Arrays.compareUnsigned(key, before.getValue()) < 0;
  }

  /** Returns true if there are no ranges. */
  public boolean isEmpty() {
    return ends.isEmpty();
  }

  /** Returns the number of ranges. */
  public int size() {
    return ends.size();
  }

  /**
   * A range of keys.
   *
   * @param start the inclusive start
   * @param end the exclusive end
   */
  public record Range(byte[] start, byte[] end) {}

  /**
   * Returns the parts of a range that are not in the set, ascending.
   *
   * @param start the inclusive start
   * @param end the exclusive end
   */
  public List<Range> missing(byte[] start, byte[] end) {
    List<Range> missing = new ArrayList<>();
    byte[] from = start;
    Map.Entry<byte[], byte[]> before = ends.floorEntry(start);
    if (before != null) {
      from = later(from, before.getValue());
    }
    for (Map.Entry<byte[], byte[]> next = ends.higherEntry(start);
        next != null && Arrays.compareUnsigned(next.getKey(), end) < 0;
        next = ends.higherEntry(next.getKey())) {
      missing.add(new Range(from, next.getKey()));
      from = next.getValue();
    }
    if (Arrays.compareUnsigned(from, end) < 0) {
      missing.add(new Range(from, end));
    }
    return missing;
  }

  /** Returns the ends by their starts, ascending. */
  public NavigableMap<byte[], byte[]> asMap() {
    return ends;
  }
}
