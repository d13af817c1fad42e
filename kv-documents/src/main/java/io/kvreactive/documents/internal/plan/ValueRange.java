package io.kvreactive.documents.internal.plan;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A range of values for which an index is read. */
public sealed interface ValueRange {
  /** One value. */
  record Point(JsonNode value) implements ValueRange {}

  /**
   * A range of values of one scalar type; at least one bound is not null, and both are of this
   * type.
   */
  record Between(
      @Nullable JsonNode low, boolean lowInclusive, @Nullable JsonNode high, boolean highInclusive)
      implements ValueRange {}

  /** The texts with a prefix. */
  record Prefix(String text) implements ValueRange {}

  /** All values of a range of types, in type order. */
  record Types(ValueType from, ValueType to) implements ValueRange {}

  /** All values that are not undefined, except some. */
  record Except(List<JsonNode> values) implements ValueRange {
    public Except {
      values = List.copyOf(values);
    }
  }

  /** All values that are not undefined. */
  Types DEFINED = new Types(ValueType.NULL, ValueType.OBJECT);

  /** All values, including undefined. */
  Types ANYTHING = new Types(ValueType.UNDEFINED, ValueType.OBJECT);

  /** The value undefined. */
  Types MISSING = new Types(ValueType.UNDEFINED, ValueType.UNDEFINED);

  /** The types in index order. */
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
