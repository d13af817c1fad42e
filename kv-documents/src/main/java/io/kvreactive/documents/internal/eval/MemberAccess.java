package io.kvreactive.documents.internal.eval;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.value.Values;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Access to members and elements. The result is undefined if the target lacks the member, whatever
 * its type.
 */
final class MemberAccess {
  private MemberAccess() {}

  static JsonNode member(JsonNode target, String name) {
    return target.isObject() ? orUndefined(target.get(name)) : Values.UNDEFINED;
  }

  static JsonNode element(JsonNode target, int index) {
    return target.isArray() && index >= 0 ? orUndefined(target.get(index)) : Values.UNDEFINED;
  }

  /** Returns the member or element with a computed name or index. */
  static JsonNode at(JsonNode target, JsonNode index) {
    if (index.isTextual()) {
      return member(target, index.textValue());
    }
    double number = index.isNumber() ? index.doubleValue() : -1;
    return number == (int) number ? element(target, (int) number) : Values.UNDEFINED;
  }

  /** Returns the value at a path of labels and ordinals. */
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
