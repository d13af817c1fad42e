package io.kvreactive.documents.internal.exec;

import io.kvreactive.documents.internal.eval.Aggregation;
import io.kvreactive.documents.internal.eval.QueryProgram;
import io.kvreactive.documents.internal.eval.Row;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rows of a query that combines rows. All items are read before the first row. */
final class GroupedRows implements RowStream {
  private final ItemLoader loading;
  private final OperatorStats stats;
  private final QueryProgram program;
  private final CandidateSource source;
  private final CoveringReader covering;
  private final ItemContext context;
  private final QueryBudget budget;
  private @Nullable Deque<Aggregation.Result> results;

  GroupedRows(
      SnapshotReader reader,
      QueryProgram program,
      CandidateSource source,
      CoveringReader covering,
      ItemContext context,
      QueryBudget budget) {
    this.loading = new ItemLoader(reader, source.stats());
    this.stats = new OperatorStats("group", loading.stats());
    this.program = program;
    this.source = source;
    this.covering = covering;
    this.context = context;
    this.budget = budget;
  }

  @Override
  public boolean done() {
    return results != null && results.isEmpty();
  }

  @Override
  public List<ResultRow> next(int wanted) {
    Deque<Aggregation.Result> groups = results;
    if (groups == null) {
      Aggregation aggregation = program.newAggregation(context, budget);
      int batch = covering == CoveringReader.NOT_COVERED ? 256 : 4096;
      loading.each(source, covering, batch, one -> add(one, aggregation));
      groups = new ArrayDeque<>(aggregation.results());
      results = groups;
    }
    return stats.pass(take(groups, wanted));
  }

  @Override
  public OperatorStats stats() {
    return stats;
  }

  private void add(Candidate candidate, Aggregation aggregation) {
    budget.item();
    Iterator<Row> rows =
        program.expand(candidate.document(), context.of(candidate.docId()), budget);
    while (rows.hasNext()) {
      budget.step();
      aggregation.add(rows.next());
    }
  }

  static List<ResultRow> take(Deque<Aggregation.Result> from, int wanted) {
    List<ResultRow> out = new ArrayList<>();
    while (out.size() < wanted && !from.isEmpty()) {
      Aggregation.Result group = from.remove();
      out.add(new ResultRow(group.value(), 0, null, 0, 0, group.key()));
    }
    return out;
  }
}
