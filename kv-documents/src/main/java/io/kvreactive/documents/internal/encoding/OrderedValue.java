package io.kvreactive.documents.internal.encoding;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.value.Values;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.function.IntPredicate;

/**
 * A value with the order of ORDER BY, which is the order of index keys. Arrays and objects are
 * ordered by the start of their hash, so that rows sorted in memory have the order of an index.
 * Containers with equal starts of their hashes tie.
 */
public final class OrderedValue implements Comparable<OrderedValue> {
  private final JsonNode value;
  private final long hash;

  private OrderedValue(JsonNode value, long hash) {
    this.value = value;
    this.hash = hash;
  }

  public static OrderedValue of(JsonNode value) {
    return new OrderedValue(
        value,
        value.isContainerNode() ? ByteBuffer.wrap(new ContainerHashes().of(value)).getLong() : 0);
  }

  public JsonNode value() {
    return value;
  }

  /**
   * Returns the order of rows by their sort keys.
   *
   * @param descending tells if the key with a number is in descending order
   */
  public static Comparator<OrderedValue[]> order(IntPredicate descending) {
    return (a, b) -> {
      for (int i = 0; i < a.length; i++) {
        int order = a[i].compareTo(b[i]);
        if (order != 0) {
          return descending.test(i) ? -order : order;
        }
      }
      return 0;
    };
  }

  @Override
  public int compareTo(OrderedValue other) {
    return value.isContainerNode() && value.getNodeType() == other.value.getNodeType()
        ? Long.compareUnsigned(hash, other.hash)
        : Values.compare(value, other.value);
  }
}
