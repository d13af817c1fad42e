package io.kvreactive.connect.internal;

import io.kvreactive.connect.WireEntries;
import io.kvreactive.connect.wire.SnapshotRead;
import io.kvreactive.spi.ReadRange;
import java.util.ArrayList;
import java.util.List;

/**
 * What one request reads: the first of the ranges that are asked for, as many as the protocol
 * takes; of the last of them perhaps not all that is wanted.
 *
 * @param ranges at least one
 */
record ReadPlan(List<ReadRange> ranges) {
  private static final int ENTRY_OVERHEAD = 64;

  /**
   * @param wanted at least one
   * @param maxRanges that one request may have
   * @param maxEntries that its ranges may ask for together
   */
  static ReadPlan of(List<ReadRange> wanted, int maxRanges, int maxEntries) {
    List<ReadRange> ranges = new ArrayList<>();
    int left = maxEntries;
    for (ReadRange range : wanted) {
      if (left == 0 || ranges.size() == maxRanges) {
        break;
      }
      int limit = Math.min(range.limit(), left);
      ranges.add(withLimit(range, limit));
      left -= limit;
    }
    return new ReadPlan(ranges);
  }

  private static ReadRange withLimit(ReadRange range, int limit) {
    return limit == range.limit()
        ? range
        : new ReadRange(range.start(), range.end(), limit, range.reverse(), range.keysOnly());
  }

  /** Whether a smaller request could read a part of it. */
  boolean divisible() {
    return ranges.size() > 1 || ranges.get(0).limit() > 1;
  }

  /** About half of it. */
  ReadPlan half() {
    if (ranges.size() > 1) {
      return new ReadPlan(ranges.subList(0, ranges.size() / 2));
    }
    ReadRange range = ranges.get(0);
    return new ReadPlan(List.of(withLimit(range, range.limit() / 2)));
  }

  SnapshotRead message() {
    SnapshotRead.Builder read = SnapshotRead.newBuilder();
    for (ReadRange range : ranges) {
      read.addRangesBuilder()
          .setStart(WireEntries.bytes(range.start()))
          .setEnd(WireEntries.bytes(range.end()))
          .setLimit(range.limit())
          .setReverse(range.reverse());
    }
    return read.build();
  }

  /** The most bytes that an honest answer has, where all entries are as large as may be. */
  long maxAnswerBytes(int maxKeyBytes, int maxValueBytes) {
    long entries = 0;
    for (ReadRange range : ranges) {
      entries += range.limit();
    }
    return entries * ((long) maxKeyBytes + maxValueBytes + ENTRY_OVERHEAD)
        + (long) ranges.size() * ENTRY_OVERHEAD
        + 1024;
  }
}
