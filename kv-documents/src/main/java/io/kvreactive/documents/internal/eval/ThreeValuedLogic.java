package io.kvreactive.documents.internal.eval;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.value.Values;

/** Three-valued logic. Every value that is not a boolean counts as undefined. */
final class ThreeValuedLogic {
  private ThreeValuedLogic() {}

  static Evaluator and(Evaluator left, Evaluator right) {
    return row -> {
      JsonNode a = left.value(row);
      if (Values.isFalse(a)) {
        return Values.FALSE;
      }
      JsonNode b = right.value(row);
      if (Values.isFalse(b)) {
        return Values.FALSE;
      }
      return Values.isTrue(a) && Values.isTrue(b) ? Values.TRUE : Values.UNDEFINED;
    };
  }

  static Evaluator or(Evaluator left, Evaluator right) {
    return row -> {
      JsonNode a = left.value(row);
      if (Values.isTrue(a)) {
        return Values.TRUE;
      }
      JsonNode b = right.value(row);
      if (Values.isTrue(b)) {
        return Values.TRUE;
      }
      return Values.isFalse(a) && Values.isFalse(b) ? Values.FALSE : Values.UNDEFINED;
    };
  }

  static JsonNode not(JsonNode value) {
    return value.isBoolean() ? Values.bool(!value.booleanValue()) : Values.UNDEFINED;
  }

  static JsonNode negatedIf(boolean negated, JsonNode value) {
    return negated ? not(value) : value;
  }

  static JsonNode between(JsonNode value, JsonNode low, JsonNode high) {
    JsonNode above = Values.isGreaterOrEqual(value, low);
    JsonNode below = Values.isLessOrEqual(value, high);
    if (Values.isFalse(above) || Values.isFalse(below)) {
      return Values.FALSE;
    }
    return Values.isTrue(above) && Values.isTrue(below) ? Values.TRUE : Values.UNDEFINED;
  }
}
