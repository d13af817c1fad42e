package io.kvreactive.index.internal.exec;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.index.internal.eval.QueryProgram;
import io.kvreactive.index.internal.eval.Row;
import io.kvreactive.index.internal.exec.VectorSearch.Near;
import io.kvreactive.index.internal.plan.VectorScan;
import io.kvreactive.index.internal.store.NeighborIndexCache;
import io.kvreactive.index.internal.value.Values;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.longlong.Roaring64Bitmap;
import reactor.core.publisher.Mono;

/**
 * Rows in the order of their vector score, found by a vector index. A search returns as many items
 * as rows are needed. If some items give no row, further searches return increasing numbers of the
 * next items. With a flat index the rows and their order equal those of {@link SortedRows}.
 */
final class VectorRows implements RowStream {
  private static final int MAX_BATCH = 256;
  private static final int MIN_REQUESTED = 16;

  private final QueryProgram program;
  private final VectorSearch search;
  private final LazyFilter filter;
  private final ItemContext context;
  private final QueryBudget budget;
  private final ItemLoader loading;
  private final Deque<Near> found = new ArrayDeque<>();
  private final Deque<Near> loaded = new ArrayDeque<>(); // the items being loaded, in order
  private long requested;
  private long rowsLeft;
  private @Nullable Near after;
  private boolean isEnd; // no item follows the found ones

  /**
   * Creates the rows.
   *
   * @param filter the items that indexes find for the condition
   * @param most the maximum number of rows that are needed
   * @param token the continuation token; null to start at the beginning
   */
  VectorRows(
      SnapshotReader reader,
      QueryProgram program,
      VectorScan scan,
      NeighborIndexCache neighbors,
      LazyFilter filter,
      ItemContext context,
      QueryBudget budget,
      long most,
      @Nullable ContinuationToken token) {
    this.program = program;
    this.search = new VectorSearch(reader, scan, neighbors, budget, most);
    this.filter = filter;
    this.context = context;
    this.budget = budget;
    this.loading = new ItemLoader(reader);
    this.requested = Math.max(most, MIN_REQUESTED);
    this.rowsLeft = most;
    this.after =
        token == null ? null : new Near(token.keys().get(0).doubleValue(), token.partial());
  }

  @Override
  public boolean done() {
    return isEnd && found.isEmpty() && loading.done();
  }

  @Override
  public Mono<List<ResultRow>> next(int wanted) {
    if (!loading.done()) {
      return MonoFusion.map(loading.next(), this::rows);
    }
    if (!found.isEmpty()) {
      List<Candidate> batch = new ArrayList<>();
      loaded.clear();
      long size = Math.min(Math.min(wanted, MAX_BATCH), Math.max(1, rowsLeft));
      while (batch.size() < size && !found.isEmpty()) {
        Near next = found.remove();
        budget.release(VectorSearch.WEIGHT);
        loaded.add(next);
        batch.add(Candidate.of(next.docId()));
      }
      return MonoFusion.map(loading.add(batch).next(), this::rows);
    }
    return isEnd
        ? Mono.just(List.of())
        : filter
            .docIds()
            .map(this::find)
            .switchIfEmpty(Mono.fromSupplier(() -> find(null)))
            .flatMap(done -> done);
  }

  /** Finds the next items; emits no rows. */
  private Mono<List<ResultRow>> find(@Nullable Roaring64Bitmap docIds) {
    return MonoFusion.map(
        search.closest(docIds, (int) Math.min(requested, Integer.MAX_VALUE), after),
        near -> {
          found.addAll(near);
          isEnd = near.size() < requested;
          after = near.isEmpty() ? after : near.get(near.size() - 1);
          requested *= 2;
          return List.of();
        });
  }

  // ---- rows

  private List<ResultRow> rows(List<Candidate> items) {
    List<ResultRow> rows = new ArrayList<>(items.size());
    for (Candidate item : items) {
      budget.item();
      Near near = loaded.remove();
      while (near.docId() != item.docId()) { // skips an item that has expired
        near = loaded.remove();
      }
      Iterator<Row> made = program.expand(item.document(), context.of(item.docId()), budget);
      if (made.hasNext()) {
        budget.step();
        row(near, made.next(), rows);
      }
    }
    return rows;
  }

  private void row(Near near, Row row, List<ResultRow> rows) {
    JsonNode value = program.project(row);
    if (!value.isMissingNode()) {
      rowsLeft--;
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
