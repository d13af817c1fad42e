package io.kvreactive.documents.internal.eval;

import com.fasterxml.jackson.databind.JsonNode;

/** A compiled expression. */
@FunctionalInterface
interface Evaluator {
  JsonNode value(Row row);
}
