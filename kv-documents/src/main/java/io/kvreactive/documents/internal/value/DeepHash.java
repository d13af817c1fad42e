package io.kvreactive.documents.internal.value;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/** Hash codes consistent with {@link Values#equal}. */
final class DeepHash {
  private DeepHash() {}

  static int of(JsonNode value) {
    checkpoint();
    return switch (value.getNodeType()) {
      case BOOLEAN -> Boolean.hashCode(value.booleanValue());
      case NUMBER -> Double.hashCode(ValueOrder.normal(value));
      case STRING -> value.textValue().hashCode();
      case ARRAY -> array(value);
      case OBJECT -> object(value);
      case NULL -> 1;
      default -> 0;
    };
  }

  private static int array(JsonNode array) {
    int hash = 5;
    for (int i = 0; i < array.size(); i++) {
      hash = 31 * hash + of(array.get(i));
    }
    return hash;
  }

  /** Returns the hash of an object: a sum, because the order of members does not count. */
  private static int object(JsonNode object) {
    int hash = 6;
    for (Map.Entry<String, JsonNode> member : object.properties()) {
      if (!member.getValue().isMissingNode()) {
        hash += mix(31 * member.getKey().hashCode() + of(member.getValue()));
      }
    }
    return hash;
  }

  private static int mix(int bits) {
    int mixed = bits * 0x9E3779B9;
    return mixed ^ (mixed >>> 15);
  }
}
