package io.kvreactive.documents.internal.functions;

import static io.kvreactive.documents.internal.value.Values.UNDEFINED;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.value.DeepKey;
import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.documents.spi.EvaluationContext;
import io.kvreactive.documents.spi.ScalarFunction;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Functions that search an array for values: by deep equality, or by a partial match of objects.
 */
final class ContainsFunctions {
  /** Minimum number of values for which a lookup in a set is faster than a scan. */
  private static final int MIN_SET_SIZE = 8;

  private ContainsFunctions() {}

  static List<ScalarFunction> all() {
    return List.of(
        LambdaFunction.inContext("ARRAY_CONTAINS", 2, 3, ContainsFunctions::contains),
        LambdaFunction.of(
            "ARRAY_CONTAINS_ANY", 2, LambdaFunction.ANY, a -> containsAnyOrAll(a, true)),
        LambdaFunction.of(
            "ARRAY_CONTAINS_ALL", 2, LambdaFunction.ANY, a -> containsAnyOrAll(a, false)));
  }

  private static JsonNode contains(JsonNode[] a, EvaluationContext context) {
    if (!a[0].isArray() || a[1].isMissingNode() || (a.length > 2 && !a[2].isBoolean())) {
      return UNDEFINED;
    }
    boolean partial = a.length > 2 && a[2].booleanValue();
    for (int i = 0; i < a[0].size(); i++) {
      JsonNode element = a[0].get(i);
      if (partial ? fits(a[1], element, context.deepPartial()) : Values.equal(a[1], element)) {
        return Values.TRUE;
      }
    }
    return Values.FALSE;
  }

  private static boolean fits(JsonNode pattern, JsonNode value, boolean deep) {
    if (!pattern.isObject() || !value.isObject()) {
      return Values.equal(pattern, value);
    }
    for (Map.Entry<String, JsonNode> member : pattern.properties()) {
      JsonNode wanted = member.getValue();
      JsonNode found = value.path(member.getKey());
      if (!wanted.isMissingNode()
          && !(deep ? fits(wanted, found, true) : Values.equal(wanted, found))) {
        return false;
      }
    }
    return true;
  }

  /**
   * Combines the matches of several values like OR, or like AND. A deciding value decides
   * regardless of the others; otherwise an undefined value makes the result undefined.
   */
  private static JsonNode containsAnyOrAll(JsonNode[] a, boolean any) {
    if (!a[0].isArray()) {
      return UNDEFINED;
    }
    Predicate<JsonNode> has = a.length > MIN_SET_SIZE ? set(a[0]) : value -> has(a[0], value);
    boolean undefined = false;
    for (int i = 1; i < a.length; i++) {
      if (a[i].isMissingNode()) {
        undefined = true;
      } else if (has.test(a[i]) == any) {
        return Values.bool(any);
      }
    }
    return undefined ? UNDEFINED : Values.bool(!any);
  }

  private static boolean has(JsonNode array, JsonNode value) {
    for (int i = 0; i < array.size(); i++) {
      if (Values.equal(array.get(i), value)) {
        return true;
      }
    }
    return false;
  }

  private static Predicate<JsonNode> set(JsonNode array) {
    Set<DeepKey> elements = new HashSet<>();
    array.forEach(element -> elements.add(new DeepKey(element)));
    return value -> elements.contains(new DeepKey(value));
  }
}
