package io.kvreactive.internal.value;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.POJONode;
import io.kvreactive.json.JsonSyntax;
import io.kvreactive.value.JsUndefined;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Converts JSON trees of Jackson and Vert.x to values. Their numbers are JavaScript numbers: a
 * whole number that fits is an int32, everything else a double. Whole numbers that a double cannot
 * represent become a bigint, so that no digit is lost, and so does a BigInteger.
 */
final class JsonTrees {
  private static final long MAX_SAFE = 1L << 53;

  private JsonTrees() {}

  /** Returns true for JSON of Jackson or Vert.x. */
  static boolean isTree(Object value) {
    return value instanceof JsonNode || value instanceof JsonObject || value instanceof JsonArray;
  }

  static @Nullable Object naturalOf(Object tree) {
    return tree instanceof JsonNode node ? naturalOf(node, 0) : naturalOf(tree, 0);
  }

  private static void checkDepth(int depth) {
    if (depth > V8Tag.MAX_DEPTH) {
      throw V8Encoder.invalid("nests more than " + V8Tag.MAX_DEPTH + " deep, or contains itself");
    }
  }

  /**
   * Converts an element of a JsonObject or a JsonArray of Vert.x, whose maps and lists are JSON as
   * well. Objects other than JSON are left to the encoder.
   */
  private static @Nullable Object naturalOf(@Nullable Object element, int depth) {
    checkDepth(depth);
    if (element instanceof JsonObject object) {
      return naturalOf(object.getMap(), depth);
    }
    if (element instanceof JsonArray array) {
      return naturalOf(array.getList(), depth);
    }
    if (element instanceof Map<?, ?> map) {
      Map<Object, @Nullable Object> object = new LinkedHashMap<>();
      map.forEach((name, value) -> object.put(name, naturalOf(value, depth + 1)));
      return object;
    }
    if (element instanceof List<?> list) {
      List<@Nullable Object> array = new ArrayList<>(list.size());
      list.forEach(value -> array.add(naturalOf(value, depth + 1)));
      return array;
    }
    return element instanceof Long || element instanceof BigDecimal
        ? number((Number) element)
        : element;
  }

  private static @Nullable Object naturalOf(JsonNode node, int depth) {
    checkDepth(depth);
    return switch (node.getNodeType()) {
      case OBJECT -> {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> property : node.properties()) {
          object.put(property.getKey(), naturalOf(property.getValue(), depth + 1));
        }
        yield object;
      }
      case ARRAY -> {
        List<@Nullable Object> array = new ArrayList<>(node.size());
        for (JsonNode element : node) {
          array.add(naturalOf(element, depth + 1));
        }
        yield array;
      }
      case STRING -> node.textValue();
      case NUMBER -> number(node.numberValue());
      case BOOLEAN -> node.booleanValue();
      case BINARY -> binary(node);
      case POJO -> ((POJONode) node).getPojo();
      case MISSING -> JsUndefined.UNDEFINED;
      case NULL -> null;
    };
  }

  private static Object number(Number number) {
    if (number instanceof Long value) {
      return value == value.intValue()
          ? (Object) value.intValue()
          : Math.abs(value) <= MAX_SAFE && value != Long.MIN_VALUE
              ? (Object) (double) value
              : value;
    }
    if (number instanceof BigDecimal decimal) {
      double value = decimal.doubleValue();
      if (Double.isInfinite(value)) {
        throw V8Encoder.invalid(
            "number "
                + decimal.round(new MathContext(10))
                + " (expected: "
                + JsonSyntax.NUMBERS
                + ")");
      }
      return value;
    }
    return number;
  }

  private static byte @Nullable [] binary(JsonNode node) {
    try {
      return node.binaryValue();
    } catch (IOException e) {
      throw new IllegalStateException("a BinaryNode holds its bytes", e);
    }
  }
}
