package io.kvreactive.documents.internal.eval;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.spi.EvaluationContext;
import org.jspecify.annotations.Nullable;

/** The values of the sources of a query and of its outer queries. */
public final class Row {
  private final JsonNode[] values;
  private final @Nullable Row outer;
  private final Execution execution;

  Row(JsonNode[] values, @Nullable Row outer, Execution execution) {
    this.values = values;
    this.outer = outer;
    this.execution = execution;
  }

  JsonNode value(int slot) {
    return values[slot];
  }

  void set(int slot, JsonNode value) {
    values[slot] = value;
  }

  Row outer() {
    if (outer == null) {
      throw new IllegalStateException("no query around");
    }
    return outer;
  }

  Row outer(int levels) {
    Row row = this;
    for (int i = 0; i < levels; i++) {
      row = row.outer();
    }
    return row;
  }

  /** Returns an unchanging copy of the current row. */
  Row copy() {
    return new Row(values.clone(), outer, execution);
  }

  Execution execution() {
    return execution;
  }

  Budget budget() {
    return execution.budget();
  }

  EvaluationContext context() {
    return execution.context();
  }
}
