package io.kvreactive.documents.internal.value;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * A value as a key of hash maps and sets, with the equality of DISTINCT and GROUP BY, {@link
 * Values#equal}. The value must not change.
 */
public final class DeepKey implements Comparable<DeepKey> {
  private final JsonNode value;
  private final int hash;

  public DeepKey(JsonNode value) {
    this.value = value;
    this.hash = Values.hash(value);
  }

  public JsonNode value() {
    return value;
  }

  /** Compares by the total order of values, which keeps a map with many hash collisions fast. */
  @Override
  public int compareTo(DeepKey other) {
    return Values.compare(value, other.value);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof DeepKey key && hash == key.hash && Values.equal(value, key.value);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    return value.toString();
  }
}
