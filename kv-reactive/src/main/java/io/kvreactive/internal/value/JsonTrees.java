package io.kvreactive.internal.value;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.POJONode;
import io.kvreactive.value.JsUndefined;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Converts JSON trees to values. Their numbers are JavaScript numbers: an int is an int32,
 * everything else a double. Whole numbers that a double cannot represent become a bigint, so that
 * no digit is lost, and so does a BigInteger node.
 */
final class JsonTrees {
  private static final long MAX_SAFE = 1L << 53;

  private JsonTrees() {}

  static @Nullable Object naturalOf(JsonNode node) {
    return naturalOf(node, 0);
  }

  private static @Nullable Object naturalOf(JsonNode node, int depth) {
    if (depth > V8Tag.MAX_DEPTH) {
      throw V8Encoder.invalid("nests more than " + V8Tag.MAX_DEPTH + " deep");
    }
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
      case NUMBER -> number(node);
      case BOOLEAN -> node.booleanValue();
      case BINARY -> binary(node);
      case POJO -> ((POJONode) node).getPojo();
      case MISSING -> JsUndefined.UNDEFINED;
      case NULL -> null;
    };
  }

  private static Object number(JsonNode node) {
    if (node.isInt() || node.isShort()) {
      return node.intValue();
    }
    if (node.isLong()) {
      long value = node.longValue();
      return Math.abs(value) <= MAX_SAFE && value != Long.MIN_VALUE
          ? (Object) (double) value
          : value;
    }
    return node.isBigInteger() ? node.bigIntegerValue() : node.doubleValue();
  }

  private static byte @Nullable [] binary(JsonNode node) {
    try {
      return node.binaryValue();
    } catch (IOException e) {
      throw new IllegalStateException("a BinaryNode holds its bytes", e);
    }
  }
}
