package io.kvreactive.documents.internal.eval;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.functions.VectorDistance;
import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.value.VectorReader;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Compiles calls of VectorDistance, which depend on the paths of the arguments. */
final class VectorCalls {
  private VectorCalls() {}

  /** Returns the function for the arguments of a call. */
  static VectorDistance at(VectorDistance function, Expr.Call call, RowSlots slots) {
    return function.at(path(call.arguments().get(0), slots), path(call.arguments().get(1), slots));
  }

  private static @Nullable String path(Expr argument, RowSlots slots) {
    IndexPath path = slots.path(argument);
    return path == null ? null : path.text();
  }

  /** Returns an evaluator that counts a step for each element. */
  static Evaluator evaluator(VectorDistance function, List<Evaluator> arguments) {
    return row -> {
      JsonNode[] values = new JsonNode[arguments.size()];
      for (int i = 0; i < values.length; i++) {
        values[i] = arguments.get(i).value(row);
      }
      Budget budget = row.budget();
      int elements = Math.min(values[0].size(), VectorReader.MAX_DIMENSIONS);
      for (int i = 0; i <= elements; i++) {
        budget.step();
      }
      return function.call(values, row.context());
    };
  }
}
