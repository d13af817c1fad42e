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
 * The first rows by a function that a term index bounds, or the next ones after a row, nearest
 * first. Reads neighborhoods of increasing reach until one has enough rows or too many items. With
 * too many items, all items that meet the condition are sorted. If the first neighborhood is dense,
 * the search continues with a much smaller one.
 */
final class NearestRows implements RowStream {
  /** Maximum number of requested rows: for more rows, sorting all items is as good. */
  static final long MAX_ROWS = 10_000;

  /** Maximum number of loaded items per neighborhood. */
  private static final long MAX_ITEMS = 100_000;

  /**
   * Ratio of the first reach to the distance of the last row of the previous page. If items are
   * spread evenly over an area, its neighborhood has at least one more page.
   */
  private static final double NEXT_REACH = 1.5;

  /** Approximate ratio of the numbers of items in consecutive neighborhoods. */
  private static final int GROWTH = 9;

  private final NearestScan nearest;
  private final AccessPath filter;
  private final SourceFactory sources;
  private final Function<CandidateSource, SortedRows> sorted;
  private final Supplier<Mono<CandidateSource>> all;
  private final long most;
  private final double after;
  private @Nullable SortedRows rows;

  /**
   * Creates the rows.
   *
   * @param filter the access path of the condition, with which neighborhoods are intersected
   * @param sorted the factory of the sorted rows of items
   * @param all the source of all items that meet the condition
   * @param most the number of requested rows
   * @param after the value of the last row before the requested ones; 0 for the first rows
   */
  NearestRows(
      NearestScan nearest,
      AccessPath filter,
      SourceFactory sources,
      Function<CandidateSource, SortedRows> sorted,
      Supplier<Mono<CandidateSource>> all,
      long most,
      double after) {
    this.nearest = nearest;
    this.filter = filter;
    this.sources = sources;
    this.sorted = sorted;
    this.all = all;
    this.most = most;
    this.after = after;
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
        : Mono.defer(this::first).flatMap(complete -> next(complete, wanted));
  }

  private Mono<List<ResultRow>> next(SortedRows complete, int wanted) {
    rows = complete;
    return complete.next(wanted);
  }

  /** Emits the rows within the first reach that has enough of them. */
  private Mono<SortedRows> first() {
    List<Double> reaches = nearest.reaches();
    if (after > 0) {
      double reach = NEXT_REACH * after;
      int larger = (int) reaches.stream().filter(other -> other <= reach).count();
      return within(reach, found -> within(reach, larger, found));
    }
    int middle = reaches.size() / 2;
    return within(
        reaches.get(middle),
        found -> {
          int smaller = Math.max(0, middle - smaller(found.getLongCardinality()));
          return smaller == middle
              ? within(reaches.get(middle), middle + 1, found)
              : within(
                  reaches.get(smaller),
                  fewer ->
                      2 * fewer.getLongCardinality() > found.getLongCardinality()
                          ? within(reaches.get(middle), middle + 1, found) // all are in one place
                          : within(reaches.get(smaller), smaller + 1, fewer));
        });
  }

  /** Returns how many reaches smaller the first one is that may have enough of so many items. */
  private int smaller(long items) {
    return items <= Math.max(SourceFactory.MAX_COLLECTED_ITEMS, 2 * most)
        ? 0
        : (int) (Math.log((double) items / (2 * most)) / Math.log(GROWTH));
  }

  /** Emits the rows within the first reach, from {@code step} on, that has enough of them. */
  private Mono<SortedRows> within(int step) {
    List<Double> reaches = nearest.reaches();
    if (step == reaches.size()) {
      return all.get().map(sorted);
    }
    double reach = reaches.get(step);
    return within(reach, found -> within(reach, step + 1, found));
  }

  /** Reads the items within a reach. */
  private Mono<SortedRows> within(double reach, Function<Roaring64Bitmap, Mono<SortedRows>> use) {
    AccessPath.Scan scan = nearest.within(reach);
    return scan == null ? all.get().map(sorted) : sources.collect(filtered(scan)).flatMap(use);
  }

  /** Emits the rows of the items within a reach, or of those within a larger one. */
  private Mono<SortedRows> within(double reach, int larger, Roaring64Bitmap found) {
    long items = found.getLongCardinality();
    if (items > MAX_ITEMS) {
      return all.get().map(sorted);
    }
    if (items < most) { // an item without a row may still be among them
      return within(larger);
    }
    SortedRows candidate = sorted.apply(CandidateSources.ofDocIds(found, 0));
    return candidate
        .countUpTo(reach)
        .flatMap(
            count -> {
              if (count >= most) {
                return Mono.just(candidate);
              }
              candidate.discard();
              return within(larger);
            });
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
