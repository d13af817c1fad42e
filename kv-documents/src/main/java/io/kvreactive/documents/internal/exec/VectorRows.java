package io.kvreactive.documents.internal.exec;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.eval.Row;
import io.kvreactive.documents.internal.exec.VectorSearch.Near;
import io.kvreactive.documents.internal.plan.VectorScan;
import io.kvreactive.documents.internal.store.NeighborIndexCache;
import io.kvreactive.documents.internal.value.Values;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/**
 * Rows in the order of their vector score, found by a vector index. A search returns as many items
 * as rows are needed. If some items give no row, further searches return increasing numbers of the
 * next items. With a flat index the rows and their order equal those of {@link SortedRows}.
 *
 * <p>There are two ways to the rows of a condition that indexes serve. If many items meet the
 * condition, it is evaluated for the closest items. If few items do, or few of the closest ones,
 * all entries of the condition are read, and only their items are searched.
 */
final class VectorRows extends Operator<ResultRow> {
  private static final int MAX_BATCH = 256;

  /** Minimum number of items of a search with conditions, of which some may give no row. */
  private static final int MIN_FILTERED = 16;

  /** Number of items for which a condition is evaluated before its entries are read. */
  private static final int MIN_EVALUATED = 64;

  private static final int MAX_EVALUATED = 1024;

  private final RowMaker maker;
  private final VectorSearch search;
  private final boolean isApproximate;
  private final LazyFilter filter;
  private final ItemLoader loading;
  private final Deque<Near> found = new ArrayDeque<>();
  private final Deque<Near> loaded = new ArrayDeque<>(); // the items being loaded, in order
  private final Roaring64Bitmap examined = new Roaring64Bitmap(); // the found items so far
  private long requested;
  private long itemsLoaded;
  private long rowsMade;
  private long rowsLeft;
  private @Nullable Near after;
  private boolean isEnd; // no item follows the found ones

  /**
   * Creates the rows.
   *
   * @param filter the items that indexes find for the condition
   * @param hasConditions true if an item may give no row because of a condition
   * @param most the maximum number of rows that are needed
   * @param token the continuation token; null to start at the beginning
   */
  VectorRows(
      RowMaker maker,
      VectorScan scan,
      NeighborIndexCache neighbors,
      LazyFilter filter,
      boolean hasConditions,
      long most,
      @Nullable ContinuationToken token) {
    super(OperatorStats.ofRows(maker.program()));
    this.maker = maker;
    this.search = new VectorSearch(maker.reader(), scan, neighbors, maker.budget(), most);
    this.isApproximate = scan.isApproximate();
    this.filter = filter;
    search.stats().add(filter.stats());
    this.loading = newLoader(maker.reader(), search.stats());
    this.requested = hasConditions ? Math.max(most, MIN_FILTERED) : most;
    this.rowsLeft = most;
    this.after =
        token == null ? null : new Near(token.keys().get(0).doubleValue(), token.partial());
  }

  @Override
  boolean done() {
    return isEnd && found.isEmpty() && loading.done();
  }

  @Override
  List<ResultRow> more(int wanted) {
    if (loading.done() && !found.isEmpty()) {
      List<Candidate> batch = new ArrayList<>();
      loaded.clear();
      long size = Math.min(itemsFor(Math.min(wanted, Math.max(1, rowsLeft))), MAX_BATCH);
      while (batch.size() < size && !found.isEmpty()) {
        Near next = found.remove();
        maker.budget().release(VectorSearch.WEIGHT);
        loaded.add(next);
        batch.add(Candidate.of(next.docId()));
      }
      loading.add(batch);
    }
    if (!loading.done()) {
      return rows(loading.next());
    }
    if (!isEnd) {
      int toEvaluate = toEvaluate();
      if (toEvaluate > 0 && filter.hasMany()) {
        find(null, toEvaluate);
      } else {
        int size = (int) Math.min(requested, Integer.MAX_VALUE);
        requested *= 2;
        find(filter.docIds(), size);
      }
    }
    return List.of();
  }

  /** Returns the expected number of items that give so many rows. */
  private long itemsFor(long rows) {
    return rows * (itemsLoaded + 1) / (rowsMade + 1);
  }

  /** Returns the number of closest items to evaluate next, or 0 if another way is better. */
  private int toEvaluate() {
    boolean continues = after != null && examined.isEmpty(); // after a token
    if (!isApproximate || continues || rowsLeft > MAX_EVALUATED || filter.known() != null) {
      return 0;
    }
    long enough = Math.max(MIN_EVALUATED, 2 * itemsFor(rowsLeft));
    return enough + examined.getLongCardinality() <= MAX_EVALUATED ? (int) enough : 0;
  }

  /** Finds the next items. */
  private void find(@Nullable Roaring64Bitmap docIds, int size) {
    List<Near> near = search.closest(docIds, size, after, examined);
    found.addAll(near);
    isEnd = near.size() < size;
    after = near.isEmpty() ? after : near.get(near.size() - 1);
    if (isApproximate) {
      near.forEach(each -> examined.addLong(each.docId()));
    }
  }

  // ---- rows

  private List<ResultRow> rows(List<Candidate> items) {
    List<ResultRow> rows = new ArrayList<>(items.size());
    for (Candidate item : items) {
      itemsLoaded++;
      Near near = loaded.remove();
      while (near.docId() != item.docId()) { // skips an item that has expired
        near = loaded.remove();
      }
      Iterator<Row> expanded = maker.rows(item);
      if (expanded.hasNext()) {
        maker.budget().step();
        row(near, expanded.next(), rows);
      }
    }
    return rows;
  }

  private void row(Near near, Row row, List<ResultRow> rows) {
    JsonNode value = maker.program().project(row);
    if (!value.isMissingNode()) {
      rowsLeft--;
      rowsMade++;
      rows.add(
          new ResultRow(
              value,
              near.docId(),
              ScanPosition.item(ScanPosition.Kind.SORTED, near.docId()),
              near.docId(),
              1,
              List.of(Values.number(near.rank()))));
    }
  }
}
