package io.kvreactive.index.internal.eval;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.index.internal.value.Values;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Members and elements; undefined where there is none, whatever the value is. */
final class MemberAccess {
  private MemberAccess() {}

  static JsonNode member(JsonNode target, String name) {
    return target.isObject() ? orUndefined(target.get(name)) : Values.UNDEFINED;
  }

  static JsonNode element(JsonNode target, int index) {
    return target.isArray() && index >= 0 ? orUndefined(target.get(index)) : Values.UNDEFINED;
  }

  /** By a name or an index that was computed. */
  static JsonNode at(JsonNode target, JsonNode index) {
    if (index.isTextual()) {
      return member(target, index.textValue());
    }
    double number = index.isNumber() ? index.doubleValue() : -1;
    return number == (int) number ? element(target, (int) number) : Values.UNDEFINED;
  }

  /** Along labels and ordinals. */
  static JsonNode follow(JsonNode from, List<Object> steps) {
    JsonNode at = from;
    for (Object step : steps) {
      at = step instanceof Integer index ? element(at, index) : member(at, (String) step);
    }
    return at;
  }

  private static JsonNode orUndefined(@Nullable JsonNode value) {
    return value == null ? Values.UNDEFINED : value;
  }
}
