package io.kvreactive.spi;

import java.util.Arrays;

/**
 * What to read: the entries from {@code start} (inclusive) to {@code end} (exclusive), at most
 * {@code limit}. Bounds need not be valid keys.
 *
 * @param start inclusive; not copied, must not be changed
 * @param end exclusive; a range whose end is not after its start is empty
 * @param limit at least 1
 * @param reverse true to read from the end
 * @param keysOnly true if values are left out
 */
public record ReadRange(byte[] start, byte[] end, int limit, boolean reverse, boolean keysOnly) {
  /** Returns the range that holds exactly one key. */
  public static ReadRange point(byte[] key) {
    return new ReadRange(key, Arrays.copyOf(key, key.length + 1), 1, false, false);
  }

  /** Returns true if only the key {@link #start} can be in it. */
  public boolean isPoint() {
    return end.length == start.length + 1
        && end[start.length] == 0
        && Arrays.equals(end, 0, start.length, start, 0, start.length);
  }
}
