package io.kvreactive.index.internal.layout;

import java.util.Arrays;

/**
 * The keys from {@code start} to before {@code end}.
 *
 * @param exact whether each entry in it has a value that was asked for; else values must be looked
 *     at, since they are cut or hashed
 */
public record KeyRange(byte[] start, byte[] end, boolean exact) {
  /** Whether a key is in it. */
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
