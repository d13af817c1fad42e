package io.kvreactive.documents.internal.exec;

import io.kvreactive.documents.internal.layout.EntryKeys;
import io.kvreactive.documents.internal.layout.KeyRange;
import io.kvreactive.documents.internal.plan.AccessPath;
import io.kvreactive.documents.internal.plan.IndexRef;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/** Creates the candidate sources of access paths. */
final class SourceFactory {
  /** Maximum number of items for which loading all costs less than any filter. */
  static final int MAX_COLLECTED_ITEMS = 1000;

  /** Maximum number of ranges sampled to find out if they have few entries. */
  private static final int MAX_SAMPLED = 64;

  /** Maximum number of ranges of which more is read, because a small part was not conclusive. */
  private static final int MAX_READ_AGAIN = 4;

  private final SnapshotReader reader;
  private final ItemContext context;
  private final QueryBudget budget;

  SourceFactory(SnapshotReader reader, ItemContext context, QueryBudget budget) {
    this.reader = reader;
    this.context = context;
    this.budget = budget;
  }

  /**
   * Returns the source of the items that an access path finds, after a position.
   *
   * @param after the position; null for all items
   * @param index the name of the index that {@code after} belongs to
   * @throws io.kvreactive.documents.DocumentException INVALID_CONTINUATION
   */
  CandidateSource of(AccessPath access, @Nullable ScanPosition after, String index) {
    if (access instanceof AccessPath.Empty) {
      return CandidateSources.none();
    }
    if (after != null && after.kind() == ScanPosition.Kind.ENTRIES) {
      AccessPath.Scan scan = find(access, index);
      if (scan == null) {
        throw ContinuationToken.indexNotFound(index);
      }
      return scan(scan, after.raw());
    }
    if (after != null && after.kind() != ScanPosition.Kind.ITEMS) {
      throw ContinuationToken.planChanged();
    }
    long behind = after == null ? 0 : after.docId();
    if (access instanceof AccessPath.FullScan) {
      return CandidateSources.ofItems(reader, behind);
    }
    if (access instanceof AccessPath.Scan scan) {
      return isMergeable(scan)
          ? new MergeIntersectionSource(reader, List.of(scan), behind)
          : after == null && findsEachItemOnce(scan) ? scan(scan, null) : collected(scan, behind);
    }
    OperatorStats collected = OperatorStats.optional("collect");
    Roaring64Bitmap few = collectIfFew(access, collected);
    if (few != null) {
      return CandidateSources.ofDocIds(few, behind, collected);
    }
    CandidateSource many = sourceOfMany(access, behind, after == null);
    many.stats().add(collected);
    return many;
  }

  private CandidateSource sourceOfMany(AccessPath access, long behind, boolean start) {
    if (access instanceof AccessPath.Intersection both) {
      List<AccessPath.Scan> pointScans = new ArrayList<>();
      for (AccessPath part : both.parts()) {
        if (part instanceof AccessPath.Scan scan && isMergeable(scan)) {
          pointScans.add(scan);
        }
      }
      if (!pointScans.isEmpty()) {
        return new MergeIntersectionSource(reader, pointScans, behind);
      }
      // the others are left to the condition: reading all their entries may take long
      return both.parts().get(0) instanceof AccessPath.Scan scan && start && findsEachItemOnce(scan)
          ? scan(scan, null)
          : collected(both.parts().get(0), behind);
    }
    return collected(access, behind);
  }

  private CandidateSource collected(AccessPath access, long behind) {
    OperatorStats stats = OperatorStats.optional("collect");
    return CandidateSources.ofDocIds(collect(access, stats), behind, stats);
  }

  /**
   * Returns the document ids of all items that an access path finds; full scans are not supported.
   *
   * @param taker the counts of the operator that takes the document ids
   */
  Roaring64Bitmap collect(AccessPath access, OperatorStats taker) {
    return new DocIdCollector(scan -> scan(scan, null), budget).collect(access, taker);
  }

  /** Returns true if the scan's entries are in document id order, one for each item. */
  private static boolean isMergeable(AccessPath.Scan scan) {
    return scan.isPointScan()
        && (scan.index() instanceof IndexRef.Range || scan.index().isSingle());
  }

  /**
   * Returns true if each item is found once, so that a position among the entries is a
   * continuation.
   */
  private static boolean findsEachItemOnce(AccessPath.Scan scan) {
    return scan.index().isSingle();
  }

  private static AccessPath.@Nullable Scan find(AccessPath access, String index) {
    if (access instanceof AccessPath.Scan scan) {
      return scan.index().name().equals(index) && findsEachItemOnce(scan) ? scan : null;
    }
    if (access instanceof AccessPath.Intersection both) {
      for (AccessPath part : both.parts()) {
        AccessPath.Scan found = part instanceof AccessPath.Scan ? find(part, index) : null;
        if (found != null) {
          return found;
        }
      }
    }
    return null;
  }

  private CandidateSource scan(AccessPath.Scan scan, byte @Nullable [] after) {
    return CandidateSources.ofScan(
        reader,
        scan,
        after,
        scan.test() == null ? null : new KeyFilter(scan.test(), context, budget));
  }

  // ---- few items

  /**
   * Returns the document ids that an access path finds, or null if they are many.
   *
   * @param taker the counts of the operator that takes the document ids
   */
  @Nullable Roaring64Bitmap collectIfFew(AccessPath access, OperatorStats taker) {
    return collectIfFew(access, MAX_COLLECTED_ITEMS, taker);
  }

  /**
   * Returns the document ids that an access path finds, or null if they are more than {@code most}.
   * Of a union, a small part of each range is read first, which is enough if there are many.
   *
   * @param taker the counts of the operator that takes the document ids
   */
  @Nullable Roaring64Bitmap collectIfFew(AccessPath access, int most, OperatorStats taker) {
    List<AccessPath> parts = access.parts();
    List<Sample> samples = new ArrayList<>();
    List<KeyRange> ranges = new ArrayList<>();
    for (AccessPath part : parts) {
      if (ranges.size() > MAX_SAMPLED) {
        return null;
      }
      if (part instanceof AccessPath.Scan scan) {
        Sample sample = new Sample(scan, reader.keysOf(scan.index()), ranges.size());
        ranges.addAll(ScanRanges.of(scan.index(), sample.keys, scan.equal(), scan.ranges()));
        sample.to = ranges.size();
        samples.add(sample);
      }
    }
    boolean isUnion = !(access instanceof AccessPath.Intersection); // also of a scan's ranges
    if (samples.isEmpty()
        || ranges.size() > MAX_SAMPLED
        || isUnion && samples.size() < parts.size()) {
      return null;
    }
    // of a union, together more than most entries if no range ends before
    int entries = isUnion ? most / Math.max(1, ranges.size()) + 1 : most + 1;
    OperatorStats combined = OperatorStats.optional(isUnion ? "union" : "intersection");
    samples.forEach(sample -> combined.add(sample.stats));
    taker.add(combined);
    Roaring64Bitmap few = collectIfFew(samples, ranges, isUnion, most, entries);
    if (few != null) {
      samples.forEach(Sample::pass);
      combined.pass(few.getLongCardinality());
    }
    return few;
  }

  private @Nullable Roaring64Bitmap collectIfFew(
      List<Sample> samples, List<KeyRange> ranges, boolean isUnion, int most, int entries) {
    List<ReadRange> reads =
        ranges.stream()
            .map(range -> reader.keys().entries(range.start(), range.end(), entries, false, true))
            .toList();
    List<RangePage> pages = reader.read(reads);
    samples.forEach(sample -> sample.take(pages));
    Roaring64Bitmap found = isUnion ? union(samples) : intersection(samples);
    long count = found == null ? Long.MAX_VALUE : found.getLongCardinality();
    boolean whole =
        isUnion
            ? samples.stream().allMatch(sample -> sample.isWhole)
            : samples.stream().anyMatch(sample -> sample.isWhole);
    if (whole && count <= most) {
      return found;
    }
    long cut = pages.stream().filter(page -> !page.isLast()).count();
    boolean mayBeFew =
        !whole && entries <= most && !(isUnion && count > most) && cut <= MAX_READ_AGAIN;
    return mayBeFew ? collectIfFew(samples, ranges, isUnion, most, most + 1) : null;
  }

  private static Roaring64Bitmap union(List<Sample> samples) {
    Roaring64Bitmap all = new Roaring64Bitmap();
    samples.forEach(sample -> all.or(sample.found));
    return all;
  }

  /** Returns the intersection of the whole samples, or null if there are none. */
  private static @Nullable Roaring64Bitmap intersection(List<Sample> samples) {
    Roaring64Bitmap all = null;
    for (Sample sample : samples) {
      if (all == null) {
        all = sample.isWhole ? sample.found : null;
      } else if (sample.isWhole) {
        all.and(sample.found);
      }
    }
    return all;
  }

  /** A sample: the first entries of each range of a scan. */
  private final class Sample {
    private final AccessPath.Scan scan;
    private final EntryKeys keys;
    private final int from;
    private final OperatorStats stats;
    private int to;
    private Roaring64Bitmap found = new Roaring64Bitmap();
    private boolean isWhole;
    private long count; // of the document ids found

    Sample(AccessPath.Scan scan, EntryKeys keys, int from) {
      this.scan = scan;
      this.keys = keys;
      this.from = from;
      this.stats = OperatorStats.of(scan);
      this.to = from;
    }

    /** Takes the document ids of what was read. */
    void take(List<RangePage> pages) {
      KeyFilter test = scan.test() == null ? null : new KeyFilter(scan.test(), context, budget);
      found = new Roaring64Bitmap();
      isWhole = true;
      for (RangePage page : stats.read(pages.subList(from, to))) {
        reader.countEntries(page.entries().size());
        isWhole &= page.isLast();
        for (StoredEntry entry : page.entries()) {
          var read = keys.read(reader.keys().rawEntry(entry.key()));
          if (test == null
              || read.values().size() <= scan.equal().size()
              || test.test(read.values().get(scan.equal().size()))) {
            found.addLong(read.docId());
          }
        }
      }
      count = found.getLongCardinality();
    }

    /** Counts the document ids as passed on, unless they are only the first ones. */
    void pass() {
      if (isWhole) {
        stats.pass(count);
      }
    }
  }
}
