package io.kvreactive.internal.store.verify;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** The version of the newest range deletion of every key. Ranges are added in commit order. */
final class DeletedRanges {
  private final TreeMap<byte[], Until> ranges = new TreeMap<>(Arrays::compareUnsigned);

  private record Until(byte[] end, long version) {}

  void add(byte[] start, byte[] end, long version) {
    cut(start);
    cut(end);
    ranges.subMap(start, true, end, false).clear();
    ranges.put(start, new Until(end, version));
  }

  /** Splits the range that contains a key, at that key. */
  private void cut(byte[] at) {
    Map.Entry<byte[], Until> before = ranges.lowerEntry(at);
    if (before != null && Arrays.compareUnsigned(at, before.getValue().end) < 0) {
      ranges.put(at, before.getValue());
      ranges.put(before.getKey(), new Until(at, before.getValue().version));
    }
  }

  /**
   * Returns the version of the newest deletion of a range that contains a key; 0 if there is none.
   */
  long newest(byte[] key) {
    Map.Entry<byte[], Until> range = ranges.floorEntry(key);
    return range != null && Arrays.compareUnsigned(key, range.getValue().end) < 0
        ? range.getValue().version
        : 0;
  }
}
