package io.kvreactive.documents.internal.eval;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.documents.internal.sql.SqlErrors;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Span;
import io.kvreactive.documents.internal.value.Values;
import java.util.Iterator;
import java.util.function.Function;

/** Compiles subqueries in expressions. */
final class SubqueryCompiler {
  private SubqueryCompiler() {}

  static Evaluator compile(Expr.Subquery subquery, RowSlots outer, ConstantFolding folding) {
    Function<Iterator<JsonNode>, JsonNode> result =
        switch (subquery.op()) {
          case SCALAR -> rows -> only(rows, subquery.span());
          case EXISTS -> rows -> Values.bool(rows.hasNext());
          case ARRAY -> SubqueryCompiler::all;
          case ALL -> SubqueryCompiler::allTrue;
          case FIRST -> SubqueryCompiler::first;
          case LAST -> SubqueryCompiler::last;
        };
    QueryProgram program = new QueryProgram(subquery.query(), outer, folding);
    Evaluator evaluator =
        row -> {
          try (ScopedBudget tally = new ScopedBudget(row.budget())) {
            return result.apply(program.run(row, row.execution().with(tally)));
          }
        };
    return subquery.op() == Expr.SubqueryOp.ARRAY
        ? row -> MemoryEstimator.checked(evaluator.value(row), row.budget())
        : evaluator;
  }

  private static JsonNode only(Iterator<JsonNode> rows, Span span) {
    JsonNode value = first(rows);
    if (rows.hasNext()) {
      throw SqlErrors.meaning(
          "The cardinality of a scalar subquery result set cannot be greater than one.", span);
    }
    return value;
  }

  private static JsonNode all(Iterator<JsonNode> rows) {
    ArrayNode array = JsonNodeFactory.instance.arrayNode();
    while (rows.hasNext()) {
      array.add(rows.next());
      MemoryEstimator.checkParts(array.size());
    }
    return array;
  }

  private static JsonNode allTrue(Iterator<JsonNode> rows) {
    JsonNode result = Values.TRUE;
    while (rows.hasNext()) {
      JsonNode value = rows.next();
      if (Values.isFalse(value)) {
        return Values.FALSE;
      } else if (!Values.isTrue(value)) {
        result = Values.UNDEFINED;
      }
    }
    return result;
  }

  private static JsonNode first(Iterator<JsonNode> rows) {
    return rows.hasNext() ? rows.next() : Values.UNDEFINED;
  }

  private static JsonNode last(Iterator<JsonNode> rows) {
    JsonNode value = Values.UNDEFINED;
    while (rows.hasNext()) {
      value = rows.next();
    }
    return value;
  }
}
