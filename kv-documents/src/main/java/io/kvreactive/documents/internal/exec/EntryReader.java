package io.kvreactive.documents.internal.exec;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import io.kvreactive.documents.internal.layout.EntryKeys;
import io.kvreactive.documents.internal.layout.KeyRange;
import io.kvreactive.documents.internal.store.CollectionKeys;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the entries in several ranges of one index, in order, batch by batch. */
final class EntryReader {
  /** Maximum number of ranges per read: an IN list has many ranges of few entries each. */
  private static final int RANGES = 64;

  private final SnapshotReader reader;
  private final EntryKeys keys;
  private final boolean reverse;
  private final OperatorStats stats;
  private final List<KeyRange> ranges;
  private int at;
  private byte @Nullable [] resumeAfter; // a key of the store in the range at index at

  /**
   * Creates a reader.
   *
   * @param stats the counts of the operator that reads
   */
  EntryReader(
      SnapshotReader reader,
      EntryKeys keys,
      List<KeyRange> ranges,
      boolean reverse,
      OperatorStats stats) {
    this.reader = reader;
    this.keys = keys;
    this.reverse = reverse;
    this.stats = stats;
    this.ranges = new ArrayList<>(ranges);
    if (reverse) {
      java.util.Collections.reverse(this.ranges);
    }
  }

  /** Continues after an entry, which need not exist any more. */
  void skipTo(byte[] raw) {
    while (at < ranges.size() && isBefore(ranges.get(at), raw)) {
      at++;
      resumeAfter = null;
    }
    if (at < ranges.size() && ranges.get(at).contains(raw)) {
      resumeAfter = reader.keys().entry(raw);
    }
  }

  private boolean isBefore(KeyRange range, byte[] raw) {
    return reverse
        ? Arrays.compareUnsigned(range.start(), raw) > 0
        : Arrays.compareUnsigned(range.end(), raw) <= 0;
  }

  boolean done() {
    return at >= ranges.size();
  }

  /** Returns at most {@code limit} entries; may return none before the end. */
  List<Candidate> next(int limit) {
    return next(limit, RANGES);
  }

  /**
   * Returns at most {@code limit} entries from few ranges, for callers that may skip the following
   * ranges.
   *
   * @param most the maximum number of ranges per read
   */
  List<Candidate> next(int limit, int most) {
    CollectionKeys space = reader.keys();
    List<ReadRange> reads = new ArrayList<>();
    for (int i = at; i < Math.min(ranges.size(), at + Math.min(most, RANGES)); i++) {
      KeyRange range = ranges.get(i);
      int entries = i == at ? limit : Math.max(1, limit / RANGES);
      ReadRange whole = space.entries(range.start(), range.end(), entries, reverse, true);
      byte[] after = i == at ? resumeAfter : null;
      reads.add(after == null ? whole : whole.after(after));
    }
    return take(reader.read(stats, reads), limit);
  }

  private List<Candidate> take(List<RangePage> pages, int limit) {
    List<Candidate> found = new ArrayList<>();
    for (RangePage page : pages) {
      List<StoredEntry> entries = page.entries();
      reader.countEntries(entries.size());
      for (StoredEntry entry : entries) {
        if (found.size() == limit) {
          return found;
        }
        checkpoint();
        byte[] raw = reader.keys().rawEntry(entry.key());
        found.add(Candidate.of(raw, keys.read(raw)));
        resumeAfter = entry.key();
      }
      if (!page.isLast()) {
        return found;
      }
      at++;
      resumeAfter = null;
    }
    return found;
  }
}
