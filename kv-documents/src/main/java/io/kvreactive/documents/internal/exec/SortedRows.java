package io.kvreactive.documents.internal.exec;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.encoding.OrderedValue;
import io.kvreactive.documents.internal.eval.MemoryEstimator;
import io.kvreactive.documents.internal.eval.QueryProgram;
import io.kvreactive.documents.internal.eval.Row;
import io.kvreactive.documents.internal.value.Values;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Rows that are sorted in memory, because no index gives their order. All rows are made, but only
 * as many are kept as are needed.
 */
final class SortedRows extends Operator<ResultRow> {
  private final RowMaker maker;
  private final QueryProgram program;
  private final QueryBudget budget;
  private final CandidateSource source;
  private final ItemLoader loading;
  private final long most;
  private final @Nullable Sorted behind;
  private final Comparator<Sorted> order;
  private @Nullable Deque<Sorted> sorted;

  /** A row with its sort keys and position. */
  private record Sorted(
      OrderedValue[] keys, long docId, long number, JsonNode value, long weight) {}

  /**
   * Creates the rows of a source.
   *
   * @param most the maximum number of rows of the answer that are needed
   * @param token the continuation token; null to start at the beginning
   */
  SortedRows(RowMaker maker, CandidateSource source, long most, @Nullable ContinuationToken token) {
    super(new OperatorStats("sort"));
    this.maker = maker;
    this.program = maker.program();
    this.budget = maker.budget();
    this.source = source;
    this.loading = newLoader(maker.reader(), source.stats());
    this.most = most;
    this.order =
        Comparator.comparing(Sorted::keys, program.order())
            .thenComparingLong(Sorted::docId)
            .thenComparingLong(Sorted::number);
    this.behind =
        token == null
            ? null
            : new Sorted(
                SortKeys.ordered(token.keys()), token.partial(), token.rows(), Values.UNDEFINED, 0);
  }

  @Override
  boolean done() {
    return sorted != null && sorted.isEmpty();
  }

  @Override
  List<ResultRow> more(int wanted) {
    return take(sorted(), wanted);
  }

  /** Returns the number of kept rows whose first key is a number of at most {@code number}. */
  long countUpTo(double number) {
    return sorted().stream()
        .filter(row -> row.keys()[0].value().isNumber())
        .filter(row -> row.keys()[0].value().doubleValue() <= number)
        .count();
  }

  /** Releases the memory of all rows. */
  void discard() {
    Deque<Sorted> known = sorted;
    if (known != null) {
      known.forEach(row -> budget.release(row.weight()));
      known.clear();
    }
  }

  /** Returns the kept rows that were not taken yet. Makes all rows on the first call. */
  private Deque<Sorted> sorted() {
    Deque<Sorted> held = sorted;
    if (held == null) {
      PriorityQueue<Sorted> heap = new PriorityQueue<>(order.reversed());
      loading.each(source, CoveringReader.NOT_COVERED, 256, one -> add(one, heap));
      Sorted[] all = heap.toArray(new Sorted[0]);
      Arrays.sort(all, order);
      held = new ArrayDeque<>(Arrays.asList(all));
      sorted = held;
    }
    return held;
  }

  private void add(Candidate candidate, PriorityQueue<Sorted> heap) {
    Iterator<Row> rows = maker.rows(candidate);
    long number = 0;
    while (rows.hasNext()) {
      budget.step();
      Row row = rows.next();
      number++;
      JsonNode value = program.project(row);
      if (value.isMissingNode()) {
        continue;
      }
      OrderedValue[] keys = program.orderKeys(row);
      if (program.isAbsent(keys)) {
        continue;
      }
      Sorted sortedRow = new Sorted(keys, candidate.docId(), number, value, 0);
      if (behind != null && order.compare(sortedRow, behind) <= 0) {
        continue;
      }
      Sorted last = heap.peek();
      if (last != null && heap.size() >= most) {
        if (order.compare(sortedRow, last) >= 0) {
          continue;
        }
        heap.poll();
        budget.release(last.weight());
      }
      long weight = 96 + MemoryEstimator.of(value);
      for (OrderedValue key : keys) {
        weight += MemoryEstimator.of(key.value());
      }
      budget.hold(weight);
      heap.add(new Sorted(keys, candidate.docId(), number, value, weight));
    }
  }

  private List<ResultRow> take(Deque<Sorted> from, int wanted) {
    List<ResultRow> out = new ArrayList<>(Math.min(wanted, from.size()));
    while (out.size() < wanted && !from.isEmpty()) {
      Sorted row = from.poll();
      budget.release(row.weight());
      out.add(
          new ResultRow(
              row.value(),
              row.docId(),
              ScanPosition.item(ScanPosition.Kind.SORTED, row.docId()),
              row.docId(),
              row.number(),
              Arrays.stream(row.keys()).map(OrderedValue::value).toList()));
    }
    return out;
  }
}
