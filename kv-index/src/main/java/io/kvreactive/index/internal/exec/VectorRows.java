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
 * Rows by their score, found by a vector index. A search gives as many items as rows are needed; if
 * some of these give no row, further searches give more and more of the next ones. With a flat
 * index the rows and their order are those of {@link SortedRows}.
 */
final class VectorRows implements RowStream {
  private static final int MAX_BATCH = 256;
  private static final int MIN_KEPT = 16;

  private final QueryProgram program;
  private final VectorSearch search;
  private final LazyFilter filter;
  private final ItemContext context;
  private final QueryBudget budget;
  private final ItemLoader loading;
  private final Deque<Near> found = new ArrayDeque<>();
  private final Deque<Near> loaded = new ArrayDeque<>(); // those that loading has, in order
  private long kept;
  private @Nullable Near behind;
  private boolean isEnd; // nothing is behind those found

  /**
   * @param filter the items that indexes find for the condition
   * @param most the maximum number of rows that are needed
   * @param token where to go on; null for the start
   */
  VectorRows(
      SnapshotReader session,
      QueryProgram program,
      VectorScan scan,
      NeighborIndexCache neighbors,
      LazyFilter filter,
      ItemContext context,
      QueryBudget budget,
      long most,
      @Nullable ContinuationToken token) {
    this.program = program;
    this.search = new VectorSearch(session, scan, neighbors, budget);
    this.filter = filter;
    this.context = context;
    this.budget = budget;
    this.loading = new ItemLoader(session);
    this.kept = Math.max(most, MIN_KEPT);
    this.behind =
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
      while (batch.size() < Math.min(wanted, MAX_BATCH) && !found.isEmpty()) {
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
            .numbers()
            .map(this::find)
            .switchIfEmpty(Mono.fromSupplier(() -> find(null)))
            .flatMap(done -> done);
  }

  /** Finds the next items; emits no rows. */
  private Mono<List<ResultRow>> find(@Nullable Roaring64Bitmap numbers) {
    return MonoFusion.map(
        search.closest(numbers, (int) Math.min(kept, Integer.MAX_VALUE), behind),
        near -> {
          found.addAll(near);
          isEnd = near.size() < kept;
          behind = near.isEmpty() ? behind : near.get(near.size() - 1);
          kept *= 2;
          return List.of();
        });
  }

  // ---- rows

  private List<ResultRow> rows(List<Candidate> items) {
    List<ResultRow> rows = new ArrayList<>(items.size());
    for (Candidate item : items) {
      budget.item();
      Near near = loaded.remove();
      while (near.docId() != item.docId()) { // gone, since it has expired
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
