package io.kvreactive.documents.internal.encoding;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.value.Values;
import java.nio.ByteBuffer;

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

  @Override
  public int compareTo(OrderedValue other) {
    return value.isContainerNode() && value.getNodeType() == other.value.getNodeType()
        ? Long.compareUnsigned(hash, other.hash)
        : Values.compare(value, other.value);
  }
}
