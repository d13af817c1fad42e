package io.kvreactive.documents.internal.exec;

import io.kvreactive.documents.internal.plan.AccessPath;
import io.kvreactive.documents.internal.plan.NearestScan;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/**
 * The first rows by a function that a term index bounds, or the next ones after a row, nearest
 * first. Reads neighborhoods of increasing reach until one has enough rows or too many items. With
 * too many items, all items that meet the condition are sorted. If the first neighborhood is dense,
 * the search continues with a much smaller one.
 */
final class NearestRows extends Operator<ResultRow> {
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
  private final Supplier<CandidateSource> all;
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
      Supplier<CandidateSource> all,
      long most,
      double after) {
    super(new OperatorStats("nearest"));
    this.nearest = nearest;
    this.filter = filter;
    this.sources = sources;
    this.sorted = sorted;
    this.all = all;
    this.most = most;
    this.after = after;
  }

  @Override
  boolean done() {
    return rows != null && rows.done();
  }

  @Override
  List<ResultRow> more(int wanted) {
    SortedRows known = rows;
    if (known == null) {
      known = first();
      rows = known;
    }
    return known.next(wanted);
  }

  /** Returns the rows within the first reach that has enough of them. */
  private SortedRows first() {
    List<Double> reaches = nearest.reaches();
    if (after > 0) {
      double reach = NEXT_REACH * after;
      int larger = (int) reaches.stream().filter(other -> other <= reach).count();
      return within(reach, larger, items(reach));
    }
    int middle = reaches.size() / 2;
    Roaring64Bitmap found = items(reaches.get(middle));
    int smaller =
        found == null ? middle : Math.max(0, middle - smaller(found.getLongCardinality()));
    if (found == null || smaller == middle) {
      return within(reaches.get(middle), middle + 1, found);
    }
    Roaring64Bitmap fewer = items(reaches.get(smaller));
    return fewer != null && 2 * fewer.getLongCardinality() > found.getLongCardinality()
        ? within(reaches.get(middle), middle + 1, found) // all are in one place
        : within(reaches.get(smaller), smaller + 1, fewer);
  }

  /** Returns how many reaches smaller the first one is that may have enough of so many items. */
  private int smaller(long items) {
    return items <= Math.max(SourceFactory.MAX_COLLECTED_ITEMS, 2 * most)
        ? 0
        : (int) (Math.log((double) items / (2 * most)) / Math.log(GROWTH));
  }

  /** Returns the items within a reach, or null if the reach is everywhere. */
  private @Nullable Roaring64Bitmap items(double reach) {
    AccessPath.Scan scan = nearest.within(reach);
    return scan == null ? null : sources.collect(filtered(scan), stats());
  }

  /**
   * Returns the rows within the first reach that has enough of them: {@code reach}, or one of the
   * larger ones from a step on.
   *
   * @param found the items within {@code reach}; null for all items
   */
  private SortedRows within(double reach, int larger, @Nullable Roaring64Bitmap found) {
    List<Double> reaches = nearest.reaches();
    double current = reach;
    Roaring64Bitmap items = found;
    for (int step = larger; items != null && items.getLongCardinality() <= MAX_ITEMS; step++) {
      if (items.getLongCardinality() >= most) { // an item without a row may be among them
        SortedRows candidate =
            sorted(CandidateSources.ofDocIds(items, 0, new OperatorStats("collect")));
        if (candidate.countUpTo(current) >= most) {
          return candidate;
        }
        candidate.discard();
      }
      if (step == reaches.size()) {
        break;
      }
      current = reaches.get(step);
      items = items(current);
    }
    return sorted(all.get());
  }

  private SortedRows sorted(CandidateSource source) {
    SortedRows sortedRows = sorted.apply(source);
    stats().add(sortedRows.stats());
    return sortedRows;
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
