package io.kvreactive.spi;

import java.util.Arrays;

/**
 * A request for the entries from {@code start} (inclusive) to {@code end} (exclusive), at most
 * {@code limit}. Bounds need not be valid keys.
 *
 * @param start the inclusive start; not copied, must not be changed
 * @param end the exclusive end; a range whose end is not after its start is empty
 * @param limit the maximum number of entries, at least 1
 * @param reverse true to read from the end
 * @param keysOnly true to omit values
 */
public record ReadRange(byte[] start, byte[] end, int limit, boolean reverse, boolean keysOnly) {
  /** Returns the range that holds exactly one key. */
  public static ReadRange point(byte[] key) {
    return new ReadRange(key, Arrays.copyOf(key, key.length + 1), 1, false, false);
  }

  /**
   * Returns the rest of this range after a key of it, in the direction of the read, with the same
   * limit.
   *
   * @param last the last key that was read, such as {@link RangePage#resumeAfter}
   */
  public ReadRange after(byte[] last) {
    return reverse
        ? new ReadRange(start, last, limit, true, keysOnly)
        : new ReadRange(Arrays.copyOf(last, last.length + 1), end, limit, false, keysOnly);
  }

  /** Returns this range with another maximum number of entries. */
  public ReadRange withLimit(int most) {
    return new ReadRange(start, end, most, reverse, keysOnly);
  }

  /** Returns true if the range can contain no other key than {@link #start}. */
  public boolean isPoint() {
    return end.length == start.length + 1
        && end[start.length] == 0
        && Arrays.equals(end, 0, start.length, start, 0, start.length);
  }
}
