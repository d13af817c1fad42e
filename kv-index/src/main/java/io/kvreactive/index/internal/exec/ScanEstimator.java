package io.kvreactive.index.internal.exec;

import io.kvreactive.index.internal.layout.EntryKeys;
import io.kvreactive.index.internal.layout.KeyRange;
import io.kvreactive.index.internal.plan.AccessPath;
import io.kvreactive.index.internal.plan.ScanEstimate;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Mono;

/** Counts the entries that scans would read, up to some: what an explanation tells of them. */
final class ScanEstimator {
  /** Entries of a scan that are counted. */
  static final int MOST = 1000;

  /** Ranges of a scan that are looked at, and scans. */
  private static final int MOST_RANGES = 16;

  private static final int MOST_SCANS = 16;

  private ScanEstimator() {}

  /** One for each of the first scans, in order. */
  static Mono<List<ScanEstimate>> of(SnapshotReader session, List<AccessPath.Scan> scans) {
    List<ReadRange> reads = new ArrayList<>();
    List<Counted> counted = new ArrayList<>();
    for (AccessPath.Scan scan : scans.subList(0, Math.min(scans.size(), MOST_SCANS))) {
      EntryKeys keys = session.keysOf(scan.index());
      List<KeyRange> ranges = ScanRanges.of(scan.index(), keys, scan.equal(), scan.ranges());
      int from = reads.size();
      int looked = Math.min(ranges.size(), MOST_RANGES);
      for (KeyRange range : ranges.subList(0, looked)) {
        reads.add(session.keys().entries(range.start(), range.end(), MOST, false, true));
      }
      counted.add(new Counted(from, reads.size(), looked < ranges.size()));
    }
    return session.read(reads).map(pages -> counted.stream().map(one -> one.of(pages)).toList());
  }

  private record Counted(int from, int to, boolean more) {
    ScanEstimate of(List<RangePage> pages) {
      long entries = 0;
      boolean left = more;
      for (RangePage page : pages.subList(from, to)) {
        entries += page.entries().size();
        left |= page.resumeAfter() != null;
      }
      return new ScanEstimate(Math.min(entries, MOST), left || entries > MOST);
    }
  }
}
