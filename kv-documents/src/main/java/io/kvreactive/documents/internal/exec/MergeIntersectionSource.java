package io.kvreactive.documents.internal.exec;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import io.kvreactive.documents.internal.encoding.DocIds;
import io.kvreactive.documents.internal.layout.EntryKeys;
import io.kvreactive.documents.internal.layout.KeyRange;
import io.kvreactive.documents.internal.plan.AccessPath;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The intersection of several point scans, in document id order (a zigzag merge join). The entries
 * of each scan are in this order, so they are merged, and each scan skips to the position of the
 * others.
 */
final class MergeIntersectionSource extends CandidateSource {
  private static final int MIN_BATCH = 64;

  private final SnapshotReader reader;
  private final List<EntryKeys> keys = new ArrayList<>();
  private final List<KeyRange> ranges = new ArrayList<>();
  private final List<OperatorStats> scanStats;
  private long from;
  private boolean done;

  /**
   * Creates a source.
   *
   * @param scans the scans: each is {@link AccessPath.Scan#isPointScan}, with at most one entry per
   *     item
   * @param after the document id after which the source starts; 0 for all items
   */
  MergeIntersectionSource(SnapshotReader reader, List<AccessPath.Scan> scans, long after) {
    this(reader, scans, scans.stream().map(OperatorStats::of).toList(), after);
  }

  private MergeIntersectionSource(
      SnapshotReader reader, List<AccessPath.Scan> scans, List<OperatorStats> stats, long after) {
    super(
        stats.size() == 1
            ? stats.get(0)
            : new OperatorStats("intersection", stats.toArray(OperatorStats[]::new)));
    this.scanStats = stats;
    this.reader = reader;
    this.from = after + 1;
    for (AccessPath.Scan scan : scans) {
      EntryKeys own = reader.keysOf(scan.index());
      List<KeyRange> found = ScanRanges.of(scan.index(), own, scan.equal(), scan.ranges());
      keys.add(own);
      ranges.add(found.get(0));
    }
  }

  @Override
  List<Candidate> more(int wanted) {
    int limit = Math.max(wanted, ranges.size() == 1 ? 1 : MIN_BATCH);
    List<ReadRange> reads = new ArrayList<>(ranges.size());
    for (KeyRange range : ranges) {
      reads.add(reader.keys().entries(at(range, from), range.end(), limit, false, true));
    }
    return merge(reader.read(reads));
  }

  /** Returns the key of an item: the entries of one value differ in the document id only. */
  private static byte[] at(KeyRange range, long docId) {
    byte[] start = range.start();
    byte[] number = DocIds.encode(docId);
    byte[] key = Arrays.copyOf(start, start.length - 1 + number.length);
    System.arraycopy(number, 0, key, start.length - 1, number.length);
    return key;
  }

  private List<Candidate> merge(List<RangePage> pages) {
    List<List<Candidate>> lists = new ArrayList<>(pages.size());
    long bound = Long.MAX_VALUE; // all entries up to here have been read
    for (int i = 0; i < pages.size(); i++) {
      List<Candidate> list = new ArrayList<>(pages.get(i).entries().size());
      for (StoredEntry entry : pages.get(i).entries()) {
        checkpoint();
        list.add(Candidate.of(keys.get(i).read(reader.keys().rawEntry(entry.key()))));
      }
      scanStats.get(i).read(pages.subList(i, i + 1));
      if (pages.size() > 1) {
        scanStats.get(i).pass(list);
      }
      reader.countEntries(list.size());
      lists.add(list);
      byte[] after = pages.get(i).resumeAfter();
      if (after != null) {
        bound = Math.min(bound, keys.get(i).read(reader.keys().rawEntry(after)).docId());
      }
    }
    List<Candidate> found = intersect(lists, bound);
    advance(pages, lists, bound);
    return found;
  }

  private static List<Candidate> intersect(List<List<Candidate>> lists, long bound) {
    List<Candidate> found = new ArrayList<>();
    int[] at = new int[lists.size()];
    for (Candidate candidate : lists.get(0)) {
      if (candidate.docId() > bound) {
        break;
      }
      checkpoint();
      boolean all = true;
      for (int i = 1; i < lists.size() && all; i++) {
        List<Candidate> list = lists.get(i);
        while (at[i] < list.size() && list.get(at[i]).docId() < candidate.docId()) {
          at[i]++;
        }
        all = at[i] < list.size() && list.get(at[i]).docId() == candidate.docId();
      }
      if (all) {
        found.add(candidate);
      }
    }
    return found;
  }

  /**
   * Advances to the next possible item; the source ends as soon as one scan has no more entries.
   */
  private void advance(List<RangePage> pages, List<List<Candidate>> lists, long bound) {
    long next = bound;
    for (int i = 0; i < lists.size(); i++) {
      List<Candidate> list = lists.get(i);
      boolean isLast = pages.get(i).isLast();
      if (isLast && (list.isEmpty() || list.get(list.size() - 1).docId() <= bound)) {
        done = true;
        return;
      }
      next = Math.max(next, leap(list, bound));
    }
    from = next;
  }

  private static long leap(List<Candidate> list, long bound) {
    for (Candidate candidate : list) {
      if (candidate.docId() > bound) {
        return candidate.docId();
      }
    }
    return bound + 1;
  }

  @Override
  boolean done() {
    return done;
  }
}
