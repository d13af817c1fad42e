package io.kvreactive.documents.internal.eval;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.sql.ast.Query.Source;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A compiled source of FROM: the values of the source for a row with values for all sources before.
 */
@FunctionalInterface
interface RowSource {
  Iterator<JsonNode> values(Row row);

  static RowSource of(Source source, RowSlots slots, ConstantFolding folding) {
    if (source instanceof Source.Path path) {
      Evaluator alias = slots.find(path.root());
      Evaluator base = alias == null ? slots.item() : alias;
      List<Object> steps = path.steps();
      return path.each()
          ? row -> elements(MemberAccess.follow(base.value(row), steps))
          : row -> defined(MemberAccess.follow(base.value(row), steps));
    }
    Source.Subquery subquery = (Source.Subquery) source;
    Query query = subquery.query();
    QueryProgram program = new QueryProgram(query, slots, folding);
    return subquery.each() ? row -> new Elements(rows(program, row)) : row -> rows(program, row);
  }

  /** Returns the rows of a subquery, whose memory is released after its last row. */
  private static Iterator<JsonNode> rows(QueryProgram program, Row row) {
    Execution outer = row.execution();
    ScopedBudget tally = new ScopedBudget(outer.budget());
    Iterator<JsonNode> rows = program.run(row, outer.with(tally));
    return new LookAheadIterator<>() {
      @Override
      @Nullable JsonNode advance() {
        if (rows.hasNext()) {
          return rows.next();
        }
        tally.close();
        return null;
      }
    };
  }

  private static Iterator<JsonNode> elements(JsonNode value) {
    return value.isArray() ? value.iterator() : Collections.emptyIterator();
  }

  private static Iterator<JsonNode> defined(JsonNode value) {
    return value.isMissingNode() ? Collections.emptyIterator() : List.of(value).iterator();
  }

  /** The elements of several arrays, one array after another. */
  final class Elements extends LookAheadIterator<JsonNode> {
    private final Iterator<JsonNode> arrays;
    private Iterator<JsonNode> elements = Collections.emptyIterator();

    Elements(Iterator<JsonNode> arrays) {
      this.arrays = arrays;
    }

    @Override
    @Nullable JsonNode advance() {
      while (!elements.hasNext() && arrays.hasNext()) {
        elements = elements(arrays.next());
      }
      return elements.hasNext() ? elements.next() : null;
    }
  }
}
