package io.kvreactive.internal.api.tx;

import io.kvreactive.Versionstamp;
import io.kvreactive.internal.key.KeyRanges;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.RangeCheck;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a transaction has read of its snapshot: the conditions of its commit. */
final class ReadSet {
  private final Versionstamp snapshot;
  private final TreeMap<byte[], Check> keys = new TreeMap<>(Arrays::compareUnsigned);
  private final KeyRanges ranges = new KeyRanges();
  private long validUntil;

  ReadSet(Versionstamp snapshot) {
    this.snapshot = snapshot;
  }

  /** A key was read, present or not. */
  void key(byte[] key, @Nullable StoredEntry stored) {
    keys.put(key, new Check(key, stored == null ? null : stored.versionstamp()));
  }

  /**
   * All of a range was read.
   *
   * @param until when the first of its entries expires; 0 when none does
   */
  void range(byte[] start, byte[] end, long until) {
    ranges.add(start, end);
    validUntil = earlier(validUntil, until);
  }

  /** Returns the earlier of two times, 0 being never. */
  static long earlier(long a, long b) {
    return a == 0 || b != 0 && b < a ? b : a;
  }

  int size() {
    return keys.size() + ranges.size();
  }

  Collection<Check> checks() {
    return keys.values();
  }

  /** When one of them no longer holds none does, so all have the earliest time. */
  List<RangeCheck> rangeChecks() {
    List<RangeCheck> checks = new ArrayList<>(ranges.size());
    ranges
        .asMap()
        .forEach((start, end) -> checks.add(new RangeCheck(start, end, snapshot, validUntil)));
    return checks;
  }
}
