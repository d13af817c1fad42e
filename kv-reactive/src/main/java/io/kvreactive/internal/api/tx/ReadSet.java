package io.kvreactive.internal.api.tx;

import io.kvreactive.Versionstamp;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.KeyRanges;
import io.kvreactive.spi.RangeCheck;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The read set of a transaction: the conditions of its commit. */
final class ReadSet {
  private final Versionstamp snapshot;
  private final TreeMap<byte[], Check> keys = new TreeMap<>(Arrays::compareUnsigned);
  private final KeyRanges ranges = new KeyRanges();
  private long validUntil;

  ReadSet(Versionstamp snapshot) {
    this.snapshot = snapshot;
  }

  /** Adds a key, present or absent. */
  void key(byte[] key, @Nullable StoredEntry stored) {
    keys.put(key, new Check(key, stored == null ? null : stored.versionstamp()));
  }

  /**
   * Adds a range.
   *
   * @param until the first expiry of its entries; 0 for none
   */
  void range(byte[] start, byte[] end, long until) {
    ranges.add(start, end);
    validUntil = earlier(validUntil, until);
  }

  /** Returns the earlier of two times, of which 0 is never. */
  static long earlier(long a, long b) {
    return a == 0 || b != 0 && b < a ? b : a;
  }

  int size() {
    return keys.size() + ranges.size();
  }

  Collection<Check> checks() {
    return keys.values();
  }

  /**
   * Returns the checks of all ranges. If one fails, the commit fails, so all have the earliest
   * expiry.
   */
  List<RangeCheck> rangeChecks() {
    List<RangeCheck> checks = new ArrayList<>(ranges.size());
    ranges
        .asMap()
        .forEach((start, end) -> checks.add(new RangeCheck(start, end, snapshot, validUntil)));
    return checks;
  }
}
