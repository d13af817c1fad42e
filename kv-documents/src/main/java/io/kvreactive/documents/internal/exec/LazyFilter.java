package io.kvreactive.documents.internal.exec;

import io.kvreactive.documents.internal.plan.AccessPath;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/** The document ids that indexes find for a condition, read on first use. */
final class LazyFilter {
  private final AccessPath access;
  private final SourceFactory sources;
  private final OperatorStats stats = OperatorStats.optional("collect");
  private @Nullable Roaring64Bitmap known;
  private boolean isMany;

  LazyFilter(AccessPath access, SourceFactory sources) {
    this.access = access;
    this.sources = sources;
  }

  /** Returns the counts of this operator, which has read nothing before its first use. */
  OperatorStats stats() {
    return stats;
  }

  /** Returns the document ids, or null if no index serves the condition. */
  @Nullable Roaring64Bitmap docIds() {
    if (known == null && !(access instanceof AccessPath.FullScan)) {
      know(sources.collect(access, stats));
    }
    return known;
  }

  private void know(Roaring64Bitmap docIds) {
    known = docIds;
    stats.pass(docIds.getLongCardinality());
  }

  /**
   * Returns false if there are at most {@link SourceFactory#MAX_COLLECTED_ITEMS} document ids,
   * which are known then, or if no index serves the condition.
   */
  boolean hasMany() {
    if (known == null && !isMany && !(access instanceof AccessPath.FullScan)) {
      Roaring64Bitmap few = sources.collectIfFew(access, stats);
      isMany = few == null;
      if (few != null) {
        know(few);
      }
    }
    return known == null && isMany;
  }

  @Nullable Roaring64Bitmap known() {
    return known;
  }
}
