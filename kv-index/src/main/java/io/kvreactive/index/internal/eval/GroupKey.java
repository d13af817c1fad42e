package io.kvreactive.index.internal.eval;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.index.internal.value.DeepKey;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The values that a group has in common; undefined is one as well. */
final class GroupKey implements Comparable<GroupKey> {
  /** Of the only group when there is no GROUP BY. */
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

  long weight() {
    long sum = 0;
    for (DeepKey part : parts) {
      sum += MemoryEstimator.of(part.value());
    }
    return sum;
  }

  /** Keeps a map fast in which many hashes are the same. */
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
