package io.kvreactive.documents.internal.eval;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.spi.EvaluationContext;
import java.util.Map;

/**
 * The shared state of the rows of a run.
 *
 * @param parameters the values of the parameters that remain in the query
 */
record Execution(EvaluationContext context, Budget budget, Map<String, JsonNode> parameters) {
  Execution(EvaluationContext context, Budget budget) {
    this(context, budget, Map.of());
  }

  /** Returns the same state with another budget. */
  Execution with(Budget other) {
    return new Execution(context, other, parameters);
  }

  JsonNode parameter(String name) {
    JsonNode value = parameters.get(name);
    if (value == null) {
      throw new IllegalStateException("no value: @" + name);
    }
    return value;
  }
}
