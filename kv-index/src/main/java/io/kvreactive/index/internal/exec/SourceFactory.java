package io.kvreactive.index.internal.exec;

import io.kvreactive.index.internal.layout.EntryKeys;
import io.kvreactive.index.internal.layout.KeyRange;
import io.kvreactive.index.internal.plan.AccessPath;
import io.kvreactive.index.internal.plan.IndexRef;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.longlong.Roaring64Bitmap;
import reactor.core.publisher.Mono;

/** Makes the sources of the accesses that a plan chose. */
final class SourceFactory {
  /** Items that are so few that loading them all costs less than anything cleverer. */
  static final int FEW = 1000;

  /** Ranges that are looked at to find out whether they have few entries. */
  private static final int MAX_SAMPLED = 64;

  private final SnapshotReader session;
  private final ItemContext context;
  private final QueryBudget budget;

  SourceFactory(SnapshotReader session, ItemContext context, QueryBudget budget) {
    this.session = session;
    this.context = context;
    this.budget = budget;
  }

  /**
   * The items that an access finds, behind a position.
   *
   * @param after null for all
   * @param index what {@code after} was walking through
   */
  Mono<CandidateSource> of(AccessPath access, @Nullable ScanPosition after, String index) {
    if (access instanceof AccessPath.Empty) {
      return Mono.just(CandidateSource.NONE);
    }
    if (after != null && after.kind() == ScanPosition.Kind.ENTRIES) {
      AccessPath.Scan scan = find(access, index);
      if (scan == null) {
        return Mono.error(
            ContinuationToken.invalid("the index it walks through, " + index + ", is gone", null));
      }
      return Mono.just(scan(scan, after.raw()));
    }
    if (after != null && after.kind() != ScanPosition.Kind.ITEMS) {
      return Mono.error(
          ContinuationToken.invalid("the order it was made for is served otherwise now", null));
    }
    long behind = after == null ? 0 : after.docId();
    if (access instanceof AccessPath.FullScan) {
      return Mono.just(new FullScanSource(session, behind, false));
    }
    if (access instanceof AccessPath.Scan scan) {
      return isMergeable(scan)
          ? Mono.just(new SeekSource(session, List.of(scan), behind))
          : after == null && isWalkable(scan)
              ? Mono.just(scan(scan, null))
              : collected(scan, behind);
    }
    return MonoFusion.flatMap(
        few(access),
        few ->
            few.isPresent()
                ? Mono.just(new BitmapSource(few.get(), behind))
                : many(access, behind, after == null));
  }

  private Mono<CandidateSource> many(AccessPath access, long behind, boolean start) {
    if (access instanceof AccessPath.Intersection both) {
      List<AccessPath.Scan> seeks = new ArrayList<>();
      for (AccessPath part : both.parts()) {
        if (part instanceof AccessPath.Scan scan && isMergeable(scan)) {
          seeks.add(scan);
        }
      }
      if (!seeks.isEmpty()) {
        return Mono.just(new SeekSource(session, seeks, behind));
      }
      // the others are left to the condition: reading all their entries may take long
      return both.parts().get(0) instanceof AccessPath.Scan scan && start && isWalkable(scan)
          ? Mono.just(scan(scan, null))
          : collected(both.parts().get(0), behind);
    }
    return collected(access, behind);
  }

  private Mono<CandidateSource> collected(AccessPath access, long behind) {
    return collect(access).map(found -> new BitmapSource(found, behind));
  }

  /** The numbers of all items that an access finds; not for everything. */
  Mono<Roaring64Bitmap> collect(AccessPath access) {
    return new DocIdCollector(scan -> scan(scan, null), budget).collect(access);
  }

  /** Whether its entries are in the order of numbers, one for each item. */
  private static boolean isMergeable(AccessPath.Scan scan) {
    return scan.isSeek() && (scan.index() instanceof IndexRef.Range || scan.index().isSingle());
  }

  /** Whether each item comes once, so that a position among the entries is enough to go on. */
  private static boolean isWalkable(AccessPath.Scan scan) {
    return scan.index().isSingle();
  }

  private static AccessPath.@Nullable Scan find(AccessPath access, String index) {
    if (access instanceof AccessPath.Scan scan) {
      return scan.index().name().equals(index) && isWalkable(scan) ? scan : null;
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

  private ScanSource scan(AccessPath.Scan scan, byte @Nullable [] after) {
    return new ScanSource(
        session,
        scan,
        after,
        scan.test() == null ? null : new KeyFilter(scan.test(), context, budget));
  }

  // ---- few items

  /** The numbers of the items that an access finds when they are few; else empty. */
  Mono<Optional<Roaring64Bitmap>> few(AccessPath access) {
    List<AccessPath> parts =
        access instanceof AccessPath.Intersection both
            ? both.parts()
            : access instanceof AccessPath.Union either ? either.parts() : List.of(access);
    List<Sample> samples = new ArrayList<>();
    List<ReadRange> reads = new ArrayList<>();
    for (AccessPath part : parts) {
      if (reads.size() > MAX_SAMPLED) {
        return Mono.just(Optional.empty());
      }
      if (part instanceof AccessPath.Scan scan) {
        Sample sample = new Sample(scan, session.keysOf(scan.index()), reads.size());
        for (KeyRange range :
            ScanRanges.of(scan.index(), sample.keys, scan.equal(), scan.ranges())) {
          reads.add(session.keys().entries(range.start(), range.end(), FEW + 1, false, true));
        }
        sample.to = reads.size();
        samples.add(sample);
      }
    }
    if (samples.isEmpty()
        || reads.size() > MAX_SAMPLED
        || access instanceof AccessPath.Union && samples.size() < parts.size()) {
      return Mono.just(Optional.empty());
    }
    return MonoFusion.map(session.read(reads), pages -> combine(access, samples, pages));
  }

  private Optional<Roaring64Bitmap> combine(
      AccessPath access, List<Sample> samples, List<RangePage> pages) {
    boolean union = access instanceof AccessPath.Union;
    Roaring64Bitmap all = null;
    for (Sample sample : samples) {
      Roaring64Bitmap found = sample.take(pages);
      if (found == null) {
        if (union) {
          return Optional.empty();
        }
      } else if (all == null) {
        all = found;
      } else if (union) {
        all.or(found);
      } else {
        all.and(found);
      }
    }
    return all == null || all.getLongCardinality() > FEW ? Optional.empty() : Optional.of(all);
  }

  /** The first entries of a scan. */
  private final class Sample {
    private final AccessPath.Scan scan;
    private final EntryKeys keys;
    private final int from;
    private int to;

    Sample(AccessPath.Scan scan, EntryKeys keys, int from) {
      this.scan = scan;
      this.keys = keys;
      this.from = from;
      this.to = from;
    }

    /** Null when they are not all. */
    @Nullable Roaring64Bitmap take(List<RangePage> pages) {
      KeyFilter test = scan.test() == null ? null : new KeyFilter(scan.test(), context, budget);
      Roaring64Bitmap found = new Roaring64Bitmap();
      boolean whole = true;
      for (RangePage page : pages.subList(from, to)) {
        session.countEntries(page.entries().size());
        whole &= page.resumeAfter() == null;
        for (StoredEntry entry : page.entries()) {
          var read = keys.read(session.keys().rawEntry(entry.key()));
          if (test == null
              || read.values().size() <= scan.equal().size()
              || test.test(read.values().get(scan.equal().size()))) {
            found.addLong(read.docId());
          }
        }
      }
      return whole ? found : null;
    }
  }
}
