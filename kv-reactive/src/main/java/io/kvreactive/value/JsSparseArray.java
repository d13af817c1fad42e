package io.kvreactive.value;

import java.util.AbstractList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A JavaScript array that has, or may have, holes: {@code [1, , 3]}, {@code new Array(1000)}.
 * Memory is proportional to the number of present elements, not to the {@linkplain #length()
 * length}, which can be 2^32-1; {@link #elements()} iterates over the present ones. As a list it
 * returns {@link JsHole#HOLE} for holes, and has at most the first 2^31-1 slots.
 */
public final class JsSparseArray extends AbstractList<@Nullable Object> {
  /** Maximum length of a JavaScript array: 2^32-1. */
  public static final long MAX_LENGTH = 0xFFFF_FFFFL;

  private final TreeMap<Long, @Nullable Object> elements = new TreeMap<>();
  private final Map<String, @Nullable Object> properties = new LinkedHashMap<>();
  private final long length;

  /**
   * Creates an array of holes.
   *
   * @throws IllegalArgumentException if the length is negative or above {@link #MAX_LENGTH}
   */
  public JsSparseArray(long length) {
    if (length < 0 || length > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "length: " + length + " (expected: 0.." + MAX_LENGTH + ")");
    }
    this.length = length;
  }

  /** Returns the JavaScript length. */
  public long length() {
    return length;
  }

  /** Returns the present elements by index, as a read-only live view. */
  public SortedMap<Long, @Nullable Object> elements() {
    return Collections.unmodifiableSortedMap(elements);
  }

  /** Returns the named properties, in order. The map is modifiable. */
  public Map<String, @Nullable Object> properties() {
    return properties;
  }

  /**
   * Sets an element, or removes it if the value is {@link JsHole#HOLE}.
   *
   * @return the previous value, or {@link JsHole#HOLE}
   * @throws IndexOutOfBoundsException if the index is not below the length
   */
  public @Nullable Object put(long index, @Nullable Object value) {
    Object before = at(index);
    if (value == JsHole.HOLE) {
      elements.remove(index);
    } else {
      elements.put(index, value);
    }
    return before;
  }

  /**
   * Returns the value at an index, or {@link JsHole#HOLE}.
   *
   * @throws IndexOutOfBoundsException if the index is not below the length
   */
  public @Nullable Object at(long index) {
    if (index < 0 || index >= length) {
      throw new IndexOutOfBoundsException("index: " + index + " (length: " + length + ")");
    }
    Object value = elements.get(index);
    return value != null || elements.containsKey(index) ? value : JsHole.HOLE;
  }

  @Override
  public @Nullable Object get(int index) {
    return at(index);
  }

  @Override
  public @Nullable Object set(int index, @Nullable Object value) {
    return put(index, value);
  }

  @Override
  public int size() {
    return (int) Math.min(length, Integer.MAX_VALUE);
  }

  @Override
  public boolean equals(@Nullable Object o) {
    if (o instanceof JsSparseArray other) {
      return length == other.length && elements.equals(other.elements);
    }
    return super.equals(o);
  }

  /** Returns the hash code of a list, computed without visiting the holes. */
  @Override
  public int hashCode() {
    int hash = 1;
    long next = 0;
    for (Map.Entry<Long, @Nullable Object> e : elements.headMap((long) size()).entrySet()) {
      hash = 31 * hashHoles(hash, e.getKey() - next) + Objects.hashCode(e.getValue());
      next = e.getKey() + 1;
    }
    return hashHoles(hash, size() - next);
  }

  /** Applies {@code h -> 31 h + hole} the given number of times, by squaring. */
  private static int hashHoles(int hash, long times) {
    int factor = 31;
    int offset = JsHole.HOLE.hashCode();
    for (long left = times; left > 0; left >>= 1) {
      if ((left & 1) != 0) {
        hash = factor * hash + offset;
      }
      offset = factor * offset + offset;
      factor *= factor;
    }
    return hash;
  }

  @Override
  public String toString() {
    return "JsSparseArray[length=" + length + ", elements=" + elements + "]";
  }
}
