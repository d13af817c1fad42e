package io.kvreactive.documents.internal.exec;

import io.kvreactive.documents.internal.layout.EntryKeys;
import io.kvreactive.documents.internal.layout.KeyRange;
import io.kvreactive.documents.internal.plan.AccessPath;
import io.kvreactive.documents.internal.plan.PlanExplainer.ScanEstimate;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import java.util.ArrayList;
import java.util.List;

/** Counts the entries that scans would read, up to a limit, for explanations. */
final class ScanEstimator {
  /** Maximum number of counted entries per scan. */
  static final int MAX_COUNTED = 1000;

  /** Maximum number of ranges per scan that are counted. */
  private static final int MAX_RANGES = 16;

  private static final int MAX_SCANS = 16;

  private ScanEstimator() {}

  /** Returns an estimate for each of the first scans, in order. */
  static List<ScanEstimate> of(SnapshotReader reader, List<AccessPath.Scan> scans) {
    List<ReadRange> reads = new ArrayList<>();
    List<Counted> counted = new ArrayList<>();
    for (AccessPath.Scan scan : scans.subList(0, Math.min(scans.size(), MAX_SCANS))) {
      EntryKeys keys = reader.keysOf(scan.index());
      List<KeyRange> ranges = ScanRanges.of(scan.index(), keys, scan.equal(), scan.ranges());
      int from = reads.size();
      int looked = Math.min(ranges.size(), MAX_RANGES);
      for (KeyRange range : ranges.subList(0, looked)) {
        reads.add(reader.keys().entries(range.start(), range.end(), MAX_COUNTED, false, true));
      }
      counted.add(new Counted(from, reads.size(), looked < ranges.size()));
    }
    List<RangePage> pages = reader.read(reads);
    return counted.stream().map(one -> one.of(pages)).toList();
  }

  private record Counted(int from, int to, boolean more) {
    ScanEstimate of(List<RangePage> pages) {
      long entries = 0;
      boolean left = more;
      for (RangePage page : pages.subList(from, to)) {
        entries += page.entries().size();
        left |= !page.isLast();
      }
      return new ScanEstimate(Math.min(entries, MAX_COUNTED), left || entries > MAX_COUNTED);
    }
  }
}
