package io.kvreactive.documents.internal.eval;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An item whose computed properties are found by name, but are not among its members. Each value is
 * computed once, when it is first read. Must not be changed. Not thread-safe.
 */
@SuppressWarnings("unchecked") // ObjectNode.deepCopy
final class ComputedDocument extends ObjectNode {
  private static final long serialVersionUID = 1L;

  private final transient ComputedProperties properties;
  private final transient Map<String, JsonNode> values = new HashMap<>();
  private transient Budget budget = Budget.unlimited();
  private transient long kept; // bytes of the values

  ComputedDocument(ComputedProperties properties, ObjectNode item) {
    super(JsonNodeFactory.instance);
    this.properties = properties;
    setAll(item);
  }

  /**
   * Counts the values, also those that are known already, as made for the current item of a run.
   */
  void countIn(Budget running) {
    budget = running;
    running.allocated(kept);
  }

  /** Counts the memory of a value that this document keeps from now on. */
  void keeps(long bytes) {
    kept += bytes;
    budget.allocated(bytes);
  }

  @Override
  public @Nullable JsonNode get(String name) {
    if (properties.query(name) == null) {
      return super.get(name);
    }
    JsonNode value = values.get(name);
    if (value == null) {
      value = properties.value(name, this, this::keeps);
      values.put(name, value);
    }
    return value.isMissingNode() ? null : value;
  }

  @Override
  public JsonNode path(String name) {
    JsonNode value = get(name);
    return value == null ? MissingNode.getInstance() : value;
  }
}
