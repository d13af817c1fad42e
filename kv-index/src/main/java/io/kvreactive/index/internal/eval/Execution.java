package io.kvreactive.index.internal.eval;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.index.spi.EvaluationContext;
import java.util.Map;

/**
 * What the rows of a run share.
 *
 * @param parameters those that are still in the query
 */
record Execution(EvaluationContext context, Budget budget, Map<String, JsonNode> parameters) {
  Execution(EvaluationContext context, Budget budget) {
    this(context, budget, Map.of());
  }

  /** The same with another budget. */
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
