package io.kvreactive.index.internal.exec;

import io.kvreactive.index.internal.plan.AccessPath;
import io.kvreactive.index.internal.plan.NearestScan;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.longlong.Roaring64Bitmap;
import reactor.core.publisher.Mono;

/**
 * The first rows by a function that a term index bounds, nearest first. Reads neighborhoods of
 * increasing reach until one has enough rows or too many items. With too many items, all items that
 * meet the condition are sorted.
 */
final class NearestRows implements RowStream {
  /** Maximum number of requested rows: for more rows, sorting all items is as good. */
  static final long MAX_ROWS = 10_000;

  /** Maximum number of loaded items per neighborhood. */
  private static final long MAX_ITEMS = 100_000;

  private final NearestScan nearest;
  private final AccessPath filter;
  private final SourceFactory sources;
  private final Function<CandidateSource, SortedRows> sorted;
  private final Supplier<Mono<CandidateSource>> all;
  private final long most;
  private @Nullable SortedRows rows;

  /**
   * Creates the rows.
   *
   * @param filter the access path of the condition, with which neighborhoods are intersected
   * @param sorted the factory of the sorted rows of items
   * @param all the source of all items that meet the condition
   * @param most the number of requested rows
   */
  NearestRows(
      NearestScan nearest,
      AccessPath filter,
      SourceFactory sources,
      Function<CandidateSource, SortedRows> sorted,
      Supplier<Mono<CandidateSource>> all,
      long most) {
    this.nearest = nearest;
    this.filter = filter;
    this.sources = sources;
    this.sorted = sorted;
    this.all = all;
    this.most = most;
  }

  @Override
  public boolean done() {
    return rows != null && rows.done();
  }

  @Override
  public Mono<List<ResultRow>> next(int wanted) {
    SortedRows found = rows;
    return found != null
        ? found.next(wanted)
        : Mono.defer(() -> within(0)).flatMap(complete -> next(complete, wanted));
  }

  private Mono<List<ResultRow>> next(SortedRows complete, int wanted) {
    rows = complete;
    return complete.next(wanted);
  }

  /** Emits the rows within the first reach, from {@code step} on, that has enough of them. */
  private Mono<SortedRows> within(int step) {
    List<Double> reaches = nearest.reaches();
    AccessPath.Scan scan = step < reaches.size() ? nearest.within(reaches.get(step)) : null;
    if (scan == null) {
      return all.get().map(sorted);
    }
    return sources.collect(filtered(scan)).flatMap(found -> within(step, reaches.get(step), found));
  }

  private Mono<SortedRows> within(int step, double reach, Roaring64Bitmap found) {
    long items = found.getLongCardinality();
    if (items > MAX_ITEMS) {
      return all.get().map(sorted);
    }
    if (items < most) { // an item without a row may still be among them
      return within(step + 1);
    }
    SortedRows candidate = sorted.apply(CandidateSources.ofDocIds(found, 0));
    return candidate
        .countUpTo(reach)
        .flatMap(count -> count >= most ? Mono.just(candidate) : within(step + 1));
  }

  private AccessPath filtered(AccessPath.Scan scan) {
    if (filter instanceof AccessPath.FullScan) {
      return scan;
    }
    List<AccessPath> both = new ArrayList<>();
    both.add(scan);
    if (filter instanceof AccessPath.Intersection more) {
      both.addAll(more.parts());
    } else {
      both.add(filter);
    }
    return new AccessPath.Intersection(both);
  }
}
