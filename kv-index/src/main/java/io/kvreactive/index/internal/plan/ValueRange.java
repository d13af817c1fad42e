package io.kvreactive.index.internal.plan;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which values an index is read for. */
public sealed interface ValueRange {
  /** One value. */
  record Point(JsonNode value) implements ValueRange {}

  /**
   * Values of one scalar type, from a bound to another; at least one is not null, and both are of
   * that type.
   */
  record Between(
      @Nullable JsonNode low, boolean lowInclusive, @Nullable JsonNode high, boolean highInclusive)
      implements ValueRange {}

  /** Texts that begin with one. */
  record Prefix(String text) implements ValueRange {}

  /** All values of some types, from one to another in their order. */
  record Types(ValueType from, ValueType to) implements ValueRange {}

  /** All values that are not undefined, except some. */
  record Except(List<JsonNode> values) implements ValueRange {
    public Except {
      values = List.copyOf(values);
    }
  }

  /** All that is not undefined. */
  Types DEFINED = new Types(ValueType.NULL, ValueType.OBJECT);

  /** All there is, undefined too. */
  Types ANYTHING = new Types(ValueType.UNDEFINED, ValueType.OBJECT);

  /** Undefined. */
  Types MISSING = new Types(ValueType.UNDEFINED, ValueType.UNDEFINED);

  /** The types in their order. */
  enum ValueType {
    UNDEFINED,
    NULL,
    FALSE,
    TRUE,
    NUMBER,
    STRING,
    ARRAY,
    OBJECT
  }
}
