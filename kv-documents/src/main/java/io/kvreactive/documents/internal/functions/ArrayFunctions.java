package io.kvreactive.documents.internal.functions;

import static io.kvreactive.documents.internal.value.Values.UNDEFINED;
import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.documents.spi.ScalarFunction;
import java.util.List;
import java.util.Map;

/** Functions that take arrays and objects apart. */
final class ArrayFunctions {
  private ArrayFunctions() {}

  static List<ScalarFunction> all() {
    return List.of(
        LambdaFunction.of("ARRAY_CONCAT", 2, LambdaFunction.ANY, ArrayFunctions::concat),
        LambdaFunction.ofArray("ARRAY_LENGTH", array -> Values.number(array.size())),
        LambdaFunction.of("ARRAY_SLICE", 2, 3, ArrayFunctions::slice),
        LambdaFunction.of("CHOOSE", 2, LambdaFunction.ANY, ArrayFunctions::choose),
        // only the boolean true counts; the branch not taken may be undefined
        LambdaFunction.of("IIF", 3, 3, a -> Values.isTrue(a[0]) ? a[1] : a[2]),
        LambdaFunction.of("OBJECTTOARRAY", 1, 3, ArrayFunctions::objectToArray));
  }

  private static JsonNode concat(JsonNode[] a) {
    long size = 0;
    for (JsonNode array : a) {
      if (!array.isArray()) {
        return UNDEFINED;
      }
      size += array.size();
    }
    FunctionLimitException.checkResult("ARRAY_CONCAT", size);
    ArrayNode all = JsonNodeFactory.instance.arrayNode((int) size);
    for (JsonNode array : a) {
      for (JsonNode element : array) {
        checkpoint();
        all.add(element);
      }
    }
    return all;
  }

  /** Returns a part of an array. A negative start counts from the end. */
  private static JsonNode slice(JsonNode[] a) {
    Integer start = IntegerValues.count(a[1]);
    Integer length = a.length > 2 ? IntegerValues.count(a[2]) : Integer.valueOf(Integer.MAX_VALUE);
    if (!a[0].isArray() || start == null || length == null) {
      return UNDEFINED;
    }
    int size = a[0].size();
    int from = start < 0 ? Math.max(0, size + start) : Math.min(start, size);
    int kept = Math.max(0, Math.min(length, size - from));
    ArrayNode slice = JsonNodeFactory.instance.arrayNode(kept);
    for (int i = from; i < from + kept; i++) {
      checkpoint();
      slice.add(a[0].get(i));
    }
    return slice;
  }

  /** Returns an element by its position, counted from 1. */
  private static JsonNode choose(JsonNode[] a) {
    Long index = IntegerValues.exact(a[0]);
    return index == null || index < 1 || index >= a.length ? UNDEFINED : a[index.intValue()];
  }

  /**
   * Converts an object to an array of name-value pairs; undefined if both member names are equal.
   */
  private static JsonNode objectToArray(JsonNode[] a) {
    JsonNode nameOfName = a.length > 1 ? a[1] : Values.text("k");
    JsonNode nameOfValue = a.length > 2 ? a[2] : Values.text("v");
    if (!a[0].isObject()
        || !nameOfName.isTextual()
        || !nameOfValue.isTextual()
        || nameOfName.equals(nameOfValue)) {
      return UNDEFINED;
    }
    ArrayNode array = JsonNodeFactory.instance.arrayNode(a[0].size());
    for (Map.Entry<String, JsonNode> member : a[0].properties()) {
      checkpoint();
      if (!member.getValue().isMissingNode()) {
        ObjectNode pair = array.addObject();
        pair.set(nameOfName.textValue(), Values.text(member.getKey()));
        pair.set(nameOfValue.textValue(), member.getValue());
      }
    }
    return array;
  }
}
