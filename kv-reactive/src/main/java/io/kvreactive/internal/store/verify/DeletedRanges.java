package io.kvreactive.internal.store.verify;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** For every key the version that last deleted a range around it. Ranges come in commit order. */
final class DeletedRanges {
  private final TreeMap<byte[], Until> ranges = new TreeMap<>(Arrays::compareUnsigned);

  private record Until(byte[] end, long version) {}

  void add(byte[] start, byte[] end, long version) {
    cut(start);
    cut(end);
    ranges.subMap(start, true, end, false).clear();
    ranges.put(start, new Until(end, version));
  }

  /** Makes a range end at a key and go on behind it. */
  private void cut(byte[] at) {
    Map.Entry<byte[], Until> before = ranges.lowerEntry(at);
    if (before != null && Arrays.compareUnsigned(at, before.getValue().end) < 0) {
      ranges.put(at, before.getValue());
      ranges.put(before.getKey(), new Until(at, before.getValue().version));
    }
  }

  /** Returns the version of the newest range that holds a key; 0 for none. */
  long newest(byte[] key) {
    Map.Entry<byte[], Until> range = ranges.floorEntry(key);
    return range != null && Arrays.compareUnsigned(key, range.getValue().end) < 0
        ? range.getValue().version
        : 0;
  }
}
