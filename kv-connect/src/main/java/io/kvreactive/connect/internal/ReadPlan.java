package io.kvreactive.connect.internal;

import io.kvreactive.connect.WireEntries;
import io.kvreactive.connect.wire.SnapshotRead;
import io.kvreactive.spi.ReadRange;
import java.util.ArrayList;
import java.util.List;

/**
 * The part of a read that fits into one request: the first of the requested ranges, up to the
 * maximum of the protocol. The last range may have a lower limit than requested.
 *
 * @param ranges the ranges, at least one
 */
record ReadPlan(List<ReadRange> ranges) {
  private static final int ENTRY_OVERHEAD = 64;

  /**
   * @param wanted the requested ranges, at least one
   * @param maxRanges the maximum number of ranges in one request
   * @param maxEntries the maximum sum of the limits of its ranges
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

  /** Returns true if a smaller request could read a part of this one. */
  boolean divisible() {
    return ranges.size() > 1 || ranges.get(0).limit() > 1;
  }

  /** Returns a plan for about half of the entries. */
  ReadPlan half() {
    if (ranges.size() > 1) {
      return new ReadPlan(ranges.subList(0, ranges.size() / 2));
    }
    ReadRange range = ranges.get(0);
    return new ReadPlan(List.of(withLimit(range, range.limit() / 2)));
  }

  SnapshotRead message(boolean withExpiry) {
    SnapshotRead.Builder read = SnapshotRead.newBuilder().setWithExpiry(withExpiry);
    for (ReadRange range : ranges) {
      read.addRangesBuilder()
          .setStart(WireEntries.bytes(range.start()))
          .setEnd(WireEntries.bytes(range.end()))
          .setLimit(range.limit())
          .setReverse(range.reverse());
    }
    return read.build();
  }

  /** Returns the maximum size of a valid response, whose entries all have the maximum size. */
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
