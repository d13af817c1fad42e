package io.kvreactive.documents.internal.eval;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.encoding.OrderedValue;
import io.kvreactive.documents.internal.value.DeepKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The steps that combine many rows: grouping, ORDER BY, DISTINCT, OFFSET and LIMIT or TOP. Rows are
 * sorted before DISTINCT, so that a value keeps the position of its first row.
 */
final class RowPipeline {
  private record Sorted(OrderedValue[] keys, JsonNode value) {}

  private RowPipeline() {}

  /**
   * Returns the result rows of a query.
   *
   * @param aggregation the aggregation; null if the query has no aggregates
   */
  static Iterator<JsonNode> run(
      QueryProgram program, Iterator<Row> rows, @Nullable Aggregation aggregation, Budget budget) {
    Iterator<JsonNode> values;
    if (aggregation != null) {
      rows.forEachRemaining(aggregation::add);
      values = aggregation.results().stream().map(Aggregation.Result::value).iterator();
    } else if (program.isOrdered()) {
      values = sorted(program, rows, budget);
    } else {
      values = projected(program, rows);
    }
    if (program.isDistinct()) {
      values = distinct(values, budget);
    }
    return window(values, program.offset(), program.limit());
  }

  private static Iterator<JsonNode> projected(QueryProgram program, Iterator<Row> rows) {
    return new LookAheadIterator<>() {
      @Override
      @Nullable JsonNode advance() {
        while (rows.hasNext()) {
          JsonNode value = program.project(rows.next());
          if (!value.isMissingNode()) {
            return value;
          }
        }
        return null;
      }
    };
  }

  private static Iterator<JsonNode> sorted(
      QueryProgram program, Iterator<Row> rows, Budget budget) {
    List<Sorted> sorted = new ArrayList<>();
    while (rows.hasNext()) {
      Row row = rows.next();
      JsonNode value = program.project(row);
      if (!value.isMissingNode()) {
        OrderedValue[] keys = program.orderKeys(row);
        if (program.isAbsent(keys)) {
          continue;
        }
        budget.hold(64 + MemoryEstimator.of(value));
        for (OrderedValue key : keys) {
          budget.hold(MemoryEstimator.of(key.value()));
        }
        sorted.add(new Sorted(keys, value));
      }
    }
    sorted.sort(Comparator.comparing(Sorted::keys, program.order()));
    Iterator<Sorted> result = sorted.iterator();
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return result.hasNext();
      }

      @Override
      public JsonNode next() {
        return result.next().value();
      }
    };
  }

  private static Iterator<JsonNode> distinct(Iterator<JsonNode> values, Budget budget) {
    Set<DeepKey> seen = new HashSet<>();
    return new LookAheadIterator<>() {
      @Override
      @Nullable JsonNode advance() {
        while (values.hasNext()) {
          JsonNode value = values.next();
          if (seen.add(new DeepKey(value))) {
            budget.hold(64 + MemoryEstimator.of(value));
            return value;
          }
        }
        return null;
      }
    };
  }

  private static Iterator<JsonNode> window(Iterator<JsonNode> values, long offset, long limit) {
    return new LookAheadIterator<>() {
      private long toSkip = offset;
      private long left = limit;

      @Override
      @Nullable JsonNode advance() {
        if (left == 0) {
          return null;
        }
        for (; toSkip > 0 && values.hasNext(); toSkip--) {
          values.next();
        }
        left--;
        return values.hasNext() ? values.next() : null;
      }
    };
  }
}
