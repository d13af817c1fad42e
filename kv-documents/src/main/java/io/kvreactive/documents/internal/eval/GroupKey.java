package io.kvreactive.documents.internal.eval;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.value.DeepKey;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The values of the GROUP BY expressions of a group. Undefined counts as a value. */
final class GroupKey implements Comparable<GroupKey> {
  /** The key of the only group without GROUP BY. */
  static final GroupKey NONE = new GroupKey(new DeepKey[0]);

  private final DeepKey[] parts;
  private final int hash;

  private GroupKey(DeepKey[] parts) {
    this.parts = parts;
    this.hash = Arrays.hashCode(parts);
  }

  static GroupKey of(List<Evaluator> exprs, Row row) {
    if (exprs.isEmpty()) {
      return NONE;
    }
    DeepKey[] parts = new DeepKey[exprs.size()];
    Arrays.setAll(parts, i -> new DeepKey(exprs.get(i).value(row)));
    return new GroupKey(parts);
  }

  int size() {
    return parts.length;
  }

  JsonNode value(int part) {
    return parts[part].value();
  }

  List<JsonNode> values() {
    return Arrays.stream(parts).map(DeepKey::value).toList();
  }

  long weight() {
    long sum = 0;
    for (DeepKey part : parts) {
      sum += MemoryEstimator.of(part.value());
    }
    return sum;
  }

  /** Compares keys, so that a map stays fast with many hash collisions. */
  @Override
  public int compareTo(GroupKey other) {
    return Arrays.compare(parts, other.parts);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof GroupKey key && hash == key.hash && Arrays.equals(parts, key.parts);
  }

  @Override
  public int hashCode() {
    return hash;
  }
}
