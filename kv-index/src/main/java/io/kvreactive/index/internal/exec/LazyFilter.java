package io.kvreactive.index.internal.exec;

import io.kvreactive.index.internal.plan.AccessPath;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.longlong.Roaring64Bitmap;
import reactor.core.publisher.Mono;

/** The document ids that indexes find for a condition, read on first use. */
final class LazyFilter {
  private final AccessPath access;
  private final SourceFactory sources;
  private @Nullable Roaring64Bitmap known;
  private boolean isMany;

  LazyFilter(AccessPath access, SourceFactory sources) {
    this.access = access;
    this.sources = sources;
  }

  /** Emits the document ids; empty if no index serves the condition. */
  Mono<Roaring64Bitmap> docIds() {
    Roaring64Bitmap found = known;
    if (found != null) {
      return Mono.just(found);
    }
    return access instanceof AccessPath.FullScan
        ? Mono.empty()
        : sources.collect(access).doOnNext(docIds -> known = docIds);
  }

  /**
   * Emits false if there are at most {@link SourceFactory#MAX_COLLECTED_ITEMS} document ids, which
   * are known then, or if no index serves the condition.
   */
  Mono<Boolean> hasMany() {
    if (known != null || access instanceof AccessPath.FullScan) {
      return Mono.just(false);
    }
    if (isMany) {
      return Mono.just(true);
    }
    return MonoFusion.map(
        sources.collectIfFew(access),
        few -> {
          few.ifPresent(docIds -> known = docIds);
          isMany = few.isEmpty();
          return isMany;
        });
  }

  @Nullable Roaring64Bitmap known() {
    return known;
  }
}
