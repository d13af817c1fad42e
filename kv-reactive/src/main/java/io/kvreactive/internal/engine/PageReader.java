package io.kvreactive.internal.engine;

import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.store.StoreSnapshot;
import io.kvreactive.internal.store.StoreView;
import io.kvreactive.internal.store.ViewCursor;
import io.kvreactive.internal.store.memtable.VersionedValue;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.RangePage.End;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the pages of ranges from one snapshot. Must be called on a thread that may wait for the
 * disk, unless stated otherwise.
 */
final class PageReader {
  /** Maximum size of keys and values of a page, to within one entry. */
  static final long PAGE_BYTES = 4L << 20;

  /** Maximum initial capacity of a page; most lists are short. */
  private static final int EXPECTED = 64;

  private PageReader() {}

  /**
   * Reads ranges until keys and values have {@code maxBytes} together. The caller requests the rest
   * again.
   */
  static ReadResult read(StoreSnapshot snapshot, List<ReadRange> ranges, long maxBytes) {
    StoreView view = snapshot.enter();
    try {
      List<RangePage> pages =
          ranges.size() == 1
              ? List.of(page(view, ranges.get(0), maxBytes))
              : pages(view, ranges, maxBytes);
      return new ReadResult(Versionstamp.of(view.version()), pages);
    } finally {
      snapshot.leave();
    }
  }

  /**
   * Reads keys that are in the memtables. Does not read the image, which may be on a disk. Any
   * thread.
   *
   * @param points ranges of one key each
   * @return the result, or null if a key must be looked up in the image
   */
  static @Nullable ReadResult readInMemory(StoreSnapshot snapshot, List<ReadRange> points) {
    StoreView view = snapshot.enter();
    try {
      List<RangePage> pages = new ArrayList<>(points.size());
      for (ReadRange point : points) {
        VersionedValue stored = view.inMemory(point.start());
        if (stored == null) {
          return null;
        }
        pages.add(page(point, stored.isPresent(view.now()) ? stored : null));
      }
      return new ReadResult(Versionstamp.of(view.version()), pages);
    } finally {
      snapshot.leave();
    }
  }

  private static List<RangePage> pages(StoreView view, List<ReadRange> ranges, long maxBytes) {
    List<RangePage> pages = new ArrayList<>(ranges.size());
    long left = maxBytes;
    for (ReadRange range : ranges) {
      RangePage page = page(view, range, left);
      pages.add(page);
      for (StoredEntry entry : page.entries()) {
        left -= entry.bytes();
      }
      if (left <= 0) {
        break;
      }
    }
    return pages;
  }

  /**
   * Reads all of the given keys. The memory used is bounded during the read, to within one value.
   *
   * @throws KvException LIMIT_EXCEEDED if keys and values together have more than {@code maxBytes}
   */
  static ReadResult points(StoreSnapshot snapshot, List<ReadRange> points, long maxBytes) {
    StoreView view = snapshot.enter();
    try {
      List<RangePage> pages = new ArrayList<>(points.size());
      long bytes = 0;
      for (ReadRange point : points) {
        RangePage page = page(view, point, maxBytes);
        for (StoredEntry entry : page.entries()) {
          bytes += entry.bytes();
        }
        if (bytes > maxBytes) {
          throw ReadResult.tooLarge(maxBytes);
        }
        pages.add(page);
      }
      return new ReadResult(Versionstamp.of(view.version()), pages);
    } finally {
      snapshot.leave();
    }
  }

  private static RangePage page(StoreView view, ReadRange range, long maxBytes) {
    if (range.isPoint()) {
      return page(range, view.get(range.start()));
    }
    List<StoredEntry> entries = new ArrayList<>(Math.min(range.limit(), EXPECTED));
    ViewCursor cursor = view.range(range.start(), range.end(), range.reverse());
    long bytes = 0;
    while (cursor.next()) {
      KvValue value = range.keysOnly() ? null : cursor.value();
      StoredEntry entry =
          new StoredEntry(
              cursor.key(), value, Versionstamp.of(cursor.version()), cursor.expireAt());
      entries.add(entry);
      bytes += entry.bytes();
      if (entries.size() == range.limit()) {
        return new RangePage(entries, End.LIMIT);
      } else if (bytes >= maxBytes) {
        return new RangePage(entries, End.SIZE);
      }
    }
    return new RangePage(entries, End.RANGE);
  }

  private static RangePage page(ReadRange point, @Nullable VersionedValue stored) {
    if (stored == null) {
      return new RangePage(List.of(), End.RANGE);
    }
    StoredEntry entry =
        new StoredEntry(
            point.start(),
            point.keysOnly() ? null : stored.value(),
            Versionstamp.of(stored.version()),
            stored.expireAt());
    return new RangePage(List.of(entry), End.RANGE);
  }
}
