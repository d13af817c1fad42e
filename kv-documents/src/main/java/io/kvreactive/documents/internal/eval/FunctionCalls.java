package io.kvreactive.documents.internal.eval;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.functions.FunctionRegistry;
import io.kvreactive.documents.internal.functions.VectorDistance;
import io.kvreactive.documents.internal.sql.ChildExpressions;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.spi.ScalarFunction;
import java.util.List;

/** Compiles function calls. */
final class FunctionCalls {
  private FunctionCalls() {}

  static Evaluator compile(
      Expr.Call call, List<Evaluator> arguments, RowSlots slots, ConstantFolding folding) {
    ScalarFunction found = FunctionRegistry.find(call.name());
    if (found == null) {
      throw new IllegalArgumentException("not bound: " + call.name());
    }
    if (found instanceof VectorDistance distance) {
      found = VectorCalls.at(distance, call, slots);
    }
    return compile(found, arguments, folding);
  }

  /**
   * Returns the sort key of a call in ORDER BY. For VectorDistance the key is lower the closer the
   * vectors are.
   */
  static Evaluator rank(
      Expr.Call call, List<Evaluator> arguments, RowSlots slots, ConstantFolding folding) {
    return FunctionRegistry.find(call.name()) instanceof VectorDistance distance
        ? compile(VectorCalls.at(distance, call, slots).ranking(), arguments, folding)
        : compile(call, arguments, slots, folding);
  }

  private static Evaluator compile(
      ScalarFunction found, List<Evaluator> arguments, ConstantFolding folding) {
    ScalarFunction function =
        found.prepare(
            index ->
                index < arguments.size() && arguments.get(index) instanceof ConstantEvaluator known
                    ? known.constant()
                    : null);
    Evaluator evaluator =
        function instanceof VectorDistance distance
            ? VectorCalls.evaluator(distance, arguments)
            : row -> call(function, arguments, row);
    return found.deterministic() ? folding.call(evaluator, arguments) : evaluator;
  }

  /** Returns true if all functions called in an expression are deterministic. */
  static boolean deterministic(Expr expr) {
    return !ChildExpressions.anyCall(expr, function -> !function.deterministic());
  }

  private static JsonNode call(ScalarFunction function, List<Evaluator> arguments, Row row) {
    row.budget().step();
    JsonNode[] values = new JsonNode[arguments.size()];
    int containers = 0;
    for (int i = 0; i < values.length; i++) {
      values[i] = arguments.get(i).value(row);
      containers += values[i].isContainerNode() ? 1 : 0;
    }
    JsonNode result = function.call(values, row.context());
    row.budget().allocated(MemoryEstimator.ofMade(result));
    return containers > 1 ? MemoryEstimator.checked(result, row.budget()) : result;
  }
}
