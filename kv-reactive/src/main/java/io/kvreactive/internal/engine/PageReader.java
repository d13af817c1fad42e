package io.kvreactive.internal.engine;

import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.store.Snapshot;
import io.kvreactive.internal.store.StoreView;
import io.kvreactive.internal.store.ViewCursor;
import io.kvreactive.internal.store.memtable.VersionedValue;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the pages of ranges from one snapshot. Runs on a reader thread. */
final class PageReader {
  /** A page ends behind this many bytes of keys and values, so that large values stay bounded. */
  static final long PAGE_BYTES = 4L << 20;

  /** Initial room for entries; most lists are short. */
  private static final int EXPECTED = 64;

  private PageReader() {}

  static ReadResult read(Snapshot snapshot, List<ReadRange> ranges) {
    StoreView view = snapshot.enter();
    try {
      List<RangePage> pages =
          ranges.size() == 1 ? List.of(page(view, ranges.get(0))) : pages(view, ranges);
      return new ReadResult(Versionstamp.of(view.version()), pages);
    } finally {
      snapshot.leave();
    }
  }

  private static List<RangePage> pages(StoreView view, List<ReadRange> ranges) {
    List<RangePage> pages = new ArrayList<>(ranges.size());
    for (ReadRange range : ranges) {
      pages.add(page(view, range));
    }
    return pages;
  }

  private static RangePage page(StoreView view, ReadRange range) {
    if (range.isPoint()) {
      StoredEntry entry = entry(view, range);
      return new RangePage(entry == null ? List.of() : List.of(entry), null);
    }
    List<StoredEntry> entries = new ArrayList<>(Math.min(range.limit(), EXPECTED));
    ViewCursor cursor = view.range(range.start(), range.end(), range.reverse());
    long bytes = 0;
    while (cursor.next()) {
      KvValue value = range.keysOnly() ? null : cursor.value();
      entries.add(new StoredEntry(cursor.key(), value, Versionstamp.of(cursor.version())));
      bytes += cursor.key().length + (value == null ? 0 : value.bytes().length);
      if (entries.size() == range.limit() || bytes >= PAGE_BYTES) {
        return new RangePage(entries, cursor.key());
      }
    }
    return new RangePage(entries, null);
  }

  private static @Nullable StoredEntry entry(StoreView view, ReadRange range) {
    VersionedValue stored = view.get(range.start());
    return stored == null
        ? null
        : new StoredEntry(
            range.start(),
            range.keysOnly() ? null : stored.value(),
            Versionstamp.of(stored.version()));
  }
}
