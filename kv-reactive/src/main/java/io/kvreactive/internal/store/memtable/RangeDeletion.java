package io.kvreactive.internal.store.memtable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything in a range that is older than a version is gone. Kept as it is, because a range of
 * millions of keys must not cost a commit millions of entries.
 *
 * @param start inclusive
 * @param end exclusive
 * @param version the commit that deleted
 */
public record RangeDeletion(byte[] start, byte[] end, long version) {
  static List<RangeDeletion> appended(List<RangeDeletion> all, RangeDeletion one) {
    List<RangeDeletion> more = new ArrayList<>(all);
    more.add(one);
    return List.copyOf(more);
  }

  /** The newest deletion of a key at a version; null when there is none. */
  public static @Nullable RangeDeletion newest(List<RangeDeletion> all, byte[] key, long at) {
    for (int i = all.size() - 1; i >= 0; i--) {
      RangeDeletion one = all.get(i);
      if (one.version <= at && one.covers(key)) {
        return one;
      }
    }
    return null;
  }

  private boolean covers(byte[] key) {
    return Arrays.compareUnsigned(key, start) >= 0 && Arrays.compareUnsigned(key, end) < 0;
  }
}
