package io.kvreactive.documents.internal.exec;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import io.kvreactive.documents.internal.plan.AccessPath;
import java.util.List;
import java.util.function.Function;
import org.roaringbitmap.longlong.Roaring64Bitmap;

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
   * Returns the document ids that an access path finds; {@link AccessPath.FullScan} is not
   * supported.
   *
   * @param taker the counts of the operator that takes the document ids
   */
  Roaring64Bitmap collect(AccessPath access, OperatorStats taker) {
    if (access instanceof AccessPath.Scan scan) {
      return drain(scans.apply(scan), taker);
    }
    if (access instanceof AccessPath.Union either) {
      return combine(either.parts(), false, taker.add(new OperatorStats("union")));
    }
    if (access instanceof AccessPath.Intersection both) {
      return combine(both.parts(), true, taker.add(new OperatorStats("intersection")));
    }
    return new Roaring64Bitmap();
  }

  private Roaring64Bitmap combine(List<AccessPath> parts, boolean all, OperatorStats stats) {
    Roaring64Bitmap combined = new Roaring64Bitmap();
    boolean isFirst = true;
    long held = 0;
    for (AccessPath part : parts) {
      if (all && !isFirst && combined.isEmpty()) {
        break;
      }
      Roaring64Bitmap found = collect(part, stats);
      checkpoint();
      long before = held + found.getLongSizeInBytes();
      if (all && !isFirst) {
        combined.and(found);
      } else {
        combined.or(found);
      }
      isFirst = false;
      held = budget.resize(before, combined.getLongSizeInBytes());
    }
    stats.pass(combined.getLongCardinality());
    return combined;
  }

  /**
   * Returns the document ids of a source. Their memory is held until the end of the query.
   *
   * @param taker the counts of the operator that takes the document ids
   */
  Roaring64Bitmap drain(CandidateSource source, OperatorStats taker) {
    taker.add(source.stats());
    Roaring64Bitmap found = new Roaring64Bitmap();
    long held = budget.resize(0, found.getLongSizeInBytes());
    while (!source.done()) {
      for (Candidate one : source.next(BATCH)) {
        checkpoint();
        found.addLong(one.docId());
      }
      held = budget.resize(held, found.getLongSizeInBytes());
    }
    return found;
  }
}
