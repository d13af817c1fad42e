package io.kvreactive.documents.internal.exec;

import io.kvreactive.documents.internal.eval.Aggregation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rows of a query that combines rows. All items are read before the first row. */
final class GroupedRows extends Operator<ResultRow> {
  private final RowMaker maker;
  private final CandidateSource source;
  private final CoveringReader covering;
  private final ItemLoader loading;
  private @Nullable Deque<Aggregation.Result> results;

  GroupedRows(RowMaker maker, CandidateSource source, CoveringReader covering) {
    super(new OperatorStats("group"));
    this.maker = maker;
    this.source = source;
    this.covering = covering;
    this.loading = newLoader(maker.reader(), source.stats());
  }

  @Override
  boolean done() {
    return results != null && results.isEmpty();
  }

  @Override
  List<ResultRow> more(int wanted) {
    Deque<Aggregation.Result> groups = results;
    if (groups == null) {
      Aggregation aggregation = maker.program().newAggregation(maker.context(), maker.budget());
      int batch = covering == CoveringReader.NOT_COVERED ? 256 : 4096;
      loading.each(source, covering, batch, one -> maker.add(one, aggregation));
      groups = new ArrayDeque<>(aggregation.results());
      results = groups;
    }
    return take(groups, wanted);
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
