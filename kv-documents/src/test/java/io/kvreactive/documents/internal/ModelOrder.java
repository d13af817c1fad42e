package io.kvreactive.documents.internal;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Comparator;

/** A plain implementation of the order of ORDER BY. All arrays and objects compare as equal. */
public final class ModelOrder implements Comparator<JsonNode> {
  @Override
  public int compare(JsonNode a, JsonNode b) {
    int types = Integer.compare(rank(a), rank(b));
    if (types != 0) {
      return types;
    }
    if (a.isNumber()) {
      double x = a.doubleValue();
      double y = b.doubleValue();
      return x < y ? -1 : x > y ? 1 : 0;
    }
    return a.isTextual() ? Integer.signum(a.textValue().compareTo(b.textValue())) : 0;
  }

  public static int rank(JsonNode value) {
    return switch (value.getNodeType()) {
      case MISSING -> 0;
      case NULL -> 1;
      case BOOLEAN -> value.booleanValue() ? 3 : 2;
      case NUMBER -> 4;
      case STRING -> 5;
      case ARRAY -> 6;
      default -> 7;
    };
  }
}
