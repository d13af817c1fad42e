package io.kvreactive.documents.internal.eval;

import com.fasterxml.jackson.databind.JsonNode;

/** An expression with a constant value. */
record ConstantEvaluator(JsonNode constant) implements Evaluator {
  @Override
  public JsonNode value(Row row) {
    return constant;
  }
}
