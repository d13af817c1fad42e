package io.kvreactive.index.internal.exec;

import static io.kvreactive.index.internal.worker.WorkerThread.checkpoint;

import io.kvreactive.index.internal.layout.EntryKeys;
import io.kvreactive.index.internal.layout.KeyRange;
import io.kvreactive.index.internal.store.CollectionKeys;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Reads the entries in some ranges of one index, in order, batch by batch. */
final class EntryReader {
  /** Ranges that are read at once: an IN list has many, of few entries each. */
  private static final int RANGES = 64;

  private final SnapshotReader session;
  private final EntryKeys keys;
  private final boolean reverse;
  private final List<KeyRange> ranges;
  private int at;
  private byte @Nullable [] resumeAfter; // a key of the store in the range at

  EntryReader(SnapshotReader session, EntryKeys keys, List<KeyRange> ranges, boolean reverse) {
    this.session = session;
    this.keys = keys;
    this.reverse = reverse;
    this.ranges = new ArrayList<>(ranges);
    if (reverse) {
      java.util.Collections.reverse(this.ranges);
    }
  }

  /** Goes on behind an entry, which need not be there any more. */
  void skipTo(byte[] raw) {
    while (at < ranges.size() && isBefore(ranges.get(at), raw)) {
      at++;
      resumeAfter = null;
    }
    if (at < ranges.size() && ranges.get(at).contains(raw)) {
      resumeAfter = session.keys().entry(raw);
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

  /** At most so many entries; there may be none though it is not done. */
  Mono<List<Candidate>> next(int limit) {
    return next(limit, RANGES);
  }

  /**
   * The same, of few ranges: for who will not want the others as they are.
   *
   * @param most ranges to read at once
   */
  Mono<List<Candidate>> next(int limit, int most) {
    CollectionKeys space = session.keys();
    List<ReadRange> reads = new ArrayList<>();
    for (int i = at; i < Math.min(ranges.size(), at + Math.min(most, RANGES)); i++) {
      KeyRange range = ranges.get(i);
      byte[] start = space.entryBound(range.start());
      byte[] end = space.entryBound(range.end());
      byte[] after = i == at ? resumeAfter : null;
      if (after != null && reverse) {
        end = after;
      } else if (after != null) {
        start = Arrays.copyOf(after, after.length + 1);
      }
      int entries = i == at ? limit : Math.max(1, limit / RANGES);
      reads.add(new ReadRange(start, end, entries, reverse, true));
    }
    return MonoFusion.map(session.read(reads), pages -> take(pages, limit));
  }

  private List<Candidate> take(List<RangePage> pages, int limit) {
    List<Candidate> found = new ArrayList<>();
    for (RangePage page : pages) {
      List<StoredEntry> entries = page.entries();
      session.countEntries(entries.size());
      for (StoredEntry entry : entries) {
        if (found.size() == limit) {
          return found;
        }
        checkpoint();
        byte[] raw = session.keys().rawEntry(entry.key());
        found.add(Candidate.of(raw, keys.read(raw)));
        resumeAfter = entry.key();
      }
      if (page.resumeAfter() != null) {
        resumeAfter = page.resumeAfter();
        return found;
      }
      at++;
      resumeAfter = null;
    }
    return found;
  }
}
