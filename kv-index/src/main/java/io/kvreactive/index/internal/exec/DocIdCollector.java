package io.kvreactive.index.internal.exec;

import static io.kvreactive.index.internal.worker.WorkerThread.checkpoint;

import io.kvreactive.index.internal.plan.AccessPath;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import org.roaringbitmap.longlong.Roaring64Bitmap;
import reactor.core.publisher.Mono;

/** Reads the numbers of all items that an access finds, without loading items. */
final class DocIdCollector {
  private static final int BATCH = 4096;

  private final Function<AccessPath.Scan, CandidateSource> scans;
  private final QueryBudget budget;

  /**
   * @param scans how a scan is read
   */
  DocIdCollector(Function<AccessPath.Scan, CandidateSource> scans, QueryBudget budget) {
    this.scans = scans;
    this.budget = budget;
  }

  /** Of everything but {@link AccessPath.FullScan}. */
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

  /** One part after the other: a condition may have thousands, so they are not nested. */
  private Mono<Roaring64Bitmap> combine(List<AccessPath> parts, boolean all) {
    return Mono.defer(
        () -> {
          Roaring64Bitmap combined = new Roaring64Bitmap();
          Iterator<AccessPath> left = parts.iterator();
          boolean[] begun = new boolean[1];
          return AsyncLoop.until(
              () -> !left.hasNext() || all && begun[0] && combined.isEmpty(),
              () -> collect(left.next()),
              found -> {
                checkpoint();
                if (all && begun[0]) {
                  combined.and(found);
                } else {
                  combined.or(found);
                }
                begun[0] = true;
                check(combined);
              },
              () -> combined);
        });
  }

  private void check(Roaring64Bitmap found) {
    budget.check(found.getLongSizeInBytes(), "the numbers of items it meets");
  }

  Mono<Roaring64Bitmap> drain(CandidateSource source) {
    return Mono.defer(
        () -> {
          Roaring64Bitmap found = new Roaring64Bitmap();
          return AsyncLoop.until(
              source::done,
              () -> source.next(BATCH),
              candidates -> {
                for (Candidate one : candidates) {
                  checkpoint();
                  found.addLong(one.docId());
                }
                check(found);
              },
              () -> found);
        });
  }
}
