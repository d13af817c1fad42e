package io.kvreactive.documents.internal.layout;

import java.util.Arrays;

/**
 * The keys from {@code start}, inclusive, to {@code end}, exclusive.
 *
 * @param exact true if every entry in the range matches; otherwise values must be checked, because
 *     keys may hold truncated or hashed values
 */
public record KeyRange(byte[] start, byte[] end, boolean exact) {
  /** Returns true if the range contains a key. */
  public boolean contains(byte[] key) {
    return Arrays.compareUnsigned(start, key) <= 0 && Arrays.compareUnsigned(key, end) < 0;
  }

  public boolean isEmpty() {
    return Arrays.compareUnsigned(start, end) >= 0;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KeyRange range
        && exact == range.exact
        && Arrays.equals(start, range.start)
        && Arrays.equals(end, range.end);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(start) + Arrays.hashCode(end);
  }
}
