package io.kvreactive.index.internal.exec;

import static io.kvreactive.index.internal.worker.WorkerThread.checkpoint;

import io.kvreactive.index.internal.plan.AccessPath;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import org.roaringbitmap.longlong.Roaring64Bitmap;
import reactor.core.publisher.Mono;

/** Collects the document ids of all items that an access path finds, without loading items. */
final class DocIdCollector {
  private static final int BATCH = 4096;

  private final Function<AccessPath.Scan, CandidateSource> scans;
  private final QueryBudget budget;

  /**
   * Creates a collector.
   *
   * @param scans the factory of the sources of scans
   */
  DocIdCollector(Function<AccessPath.Scan, CandidateSource> scans, QueryBudget budget) {
    this.scans = scans;
    this.budget = budget;
  }

  /**
   * Emits the document ids that an access path finds; {@link AccessPath.FullScan} is not supported.
   */
  Mono<Roaring64Bitmap> collect(AccessPath access) {
    if (access instanceof AccessPath.Scan scan) {
      return drain(scans.apply(scan));
    }
    if (access instanceof AccessPath.Union either) {
      return combine(either.parts(), false);
    }
    if (access instanceof AccessPath.Intersection both) {
      return combine(both.parts(), true);
    }
    return Mono.just(new Roaring64Bitmap());
  }

  /**
   * Combines parts one after the other: a condition may have thousands, so operators are not
   * nested.
   */
  private Mono<Roaring64Bitmap> combine(List<AccessPath> parts, boolean all) {
    return Mono.defer(
        () -> {
          Roaring64Bitmap combined = new Roaring64Bitmap();
          Iterator<AccessPath> left = parts.iterator();
          boolean[] begun = new boolean[1];
          long[] held = new long[1];
          return MonoFusion.until(
              () -> !left.hasNext() || all && begun[0] && combined.isEmpty(),
              () -> collect(left.next()),
              found -> {
                checkpoint();
                long before = held[0] + found.getLongSizeInBytes();
                if (all && begun[0]) {
                  combined.and(found);
                } else {
                  combined.or(found);
                }
                begun[0] = true;
                held[0] = budget.resize(before, combined.getLongSizeInBytes());
              },
              () -> combined);
        });
  }

  /** Emits the document ids of a source. Their memory is held until the end of the query. */
  Mono<Roaring64Bitmap> drain(CandidateSource source) {
    return Mono.defer(
        () -> {
          Roaring64Bitmap found = new Roaring64Bitmap();
          long[] held = {budget.resize(0, found.getLongSizeInBytes())};
          return MonoFusion.until(
              source::done,
              () -> source.next(BATCH),
              candidates -> {
                for (Candidate one : candidates) {
                  checkpoint();
                  found.addLong(one.docId());
                }
                held[0] = budget.resize(held[0], found.getLongSizeInBytes());
              },
              () -> found);
        });
  }
}
