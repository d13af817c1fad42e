package io.kvreactive.documents;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The values that name the logical partition of an item, one for each path of the partition key.
 * Ids and unique keys are unique in each partition.
 *
 * @param values the values, each text, number, boolean or null; a missing property counts as null
 */
public record PartitionKey(List<@Nullable Object> values) {
  /** The key of the only partition of a collection without partitions. */
  public static final PartitionKey NONE = new PartitionKey(List.of());

  public PartitionKey {
    values = Collections.unmodifiableList(Arrays.asList(values.toArray()));
  }

  /** Returns the key with these values. */
  public static PartitionKey of(@Nullable Object... values) {
    return new PartitionKey(Arrays.asList(values));
  }
}
