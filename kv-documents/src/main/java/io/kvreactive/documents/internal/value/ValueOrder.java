package io.kvreactive.documents.internal.value;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * The total order of values. The comparison is recursive, so that values must not be nested deeper
 * than items may be.
 */
final class ValueOrder {
  private static final int UNDEFINED = 0;
  private static final int NULL = 1;
  private static final int BOOLEAN = 2;
  private static final int NUMBER = 3;
  private static final int TEXT = 4;
  private static final int ARRAY = 5;
  private static final int OBJECT = 6;

  private ValueOrder() {}

  static int compare(JsonNode a, JsonNode b) {
    checkpoint();
    int type = rank(a);
    int byType = Integer.compare(type, rank(b));
    if (byType != 0) {
      return byType;
    }
    return switch (type) {
      case BOOLEAN -> Boolean.compare(a.booleanValue(), b.booleanValue());
      case NUMBER -> Double.compare(normal(a), normal(b));
      case TEXT -> a.textValue().compareTo(b.textValue());
      case ARRAY -> arrays(a, b);
      case OBJECT -> objects(a, b);
      default -> 0;
    };
  }

  /** Returns a number as a double, with negative zero normalized to zero. */
  static double normal(JsonNode number) {
    return number.doubleValue() + 0.0;
  }

  private static int rank(JsonNode value) {
    return switch (value.getNodeType()) {
      case MISSING -> UNDEFINED;
      case NULL -> NULL;
      case BOOLEAN -> BOOLEAN;
      case NUMBER -> NUMBER;
      case STRING -> TEXT;
      case ARRAY -> ARRAY;
      case OBJECT -> OBJECT;
      case BINARY, POJO ->
          throw new IllegalArgumentException("value: " + value.getNodeType() + " (expected: JSON)");
    };
  }

  /** Returns true if {@link #compare} gives 0; takes time proportional to the smaller value. */
  static boolean equal(JsonNode a, JsonNode b) {
    if (a.isObject() && b.isObject()) {
      return equalObjects(a, b);
    } else if (!a.isArray() || !b.isArray()) {
      return compare(a, b) == 0;
    }
    checkpoint();
    if (a.size() != b.size()) {
      return false;
    }
    for (int i = 0; i < a.size(); i++) {
      if (!equal(a.get(i), b.get(i))) {
        return false;
      }
    }
    return true;
  }

  private static boolean equalObjects(JsonNode a, JsonNode b) {
    checkpoint();
    // before sorting: the larger object may be compared with many small ones
    int count = definedMembers(a, b.size());
    if (count != definedMembers(b, count)) {
      return false;
    }
    List<Map.Entry<String, JsonNode>> left = members(a);
    List<Map.Entry<String, JsonNode>> right = members(b);
    for (int i = 0; i < count; i++) {
      if (!left.get(i).getKey().equals(right.get(i).getKey())
          || !equal(left.get(i).getValue(), right.get(i).getValue())) {
        return false;
      }
    }
    return true;
  }

  /** Returns the number of defined members, or {@code max + 1} if there are more than that. */
  private static int definedMembers(JsonNode object, int max) {
    int count = 0;
    for (Map.Entry<String, JsonNode> member : object.properties()) {
      if (!member.getValue().isMissingNode() && ++count > max) {
        break;
      }
    }
    return count;
  }

  private static int arrays(JsonNode a, JsonNode b) {
    int common = Math.min(a.size(), b.size());
    for (int i = 0; i < common; i++) {
      int order = compare(a.get(i), b.get(i));
      if (order != 0) {
        return order;
      }
    }
    return Integer.compare(a.size(), b.size());
  }

  private static int objects(JsonNode a, JsonNode b) {
    Iterator<Map.Entry<String, JsonNode>> left = members(a).iterator();
    Iterator<Map.Entry<String, JsonNode>> right = members(b).iterator();
    while (left.hasNext() && right.hasNext()) {
      Map.Entry<String, JsonNode> x = left.next();
      Map.Entry<String, JsonNode> y = right.next();
      int order = x.getKey().compareTo(y.getKey());
      if (order == 0) {
        order = compare(x.getValue(), y.getValue());
      }
      if (order != 0) {
        return order;
      }
    }
    return Boolean.compare(left.hasNext(), right.hasNext());
  }

  /** Returns the defined members of an object, by name. */
  private static List<Map.Entry<String, JsonNode>> members(JsonNode object) {
    List<Map.Entry<String, JsonNode>> members = new ArrayList<>(object.size());
    for (Map.Entry<String, JsonNode> member : object.properties()) {
      checkpoint();
      if (!member.getValue().isMissingNode()) {
        members.add(member);
      }
    }
    members.sort(Map.Entry.comparingByKey());
    return members;
  }
}
