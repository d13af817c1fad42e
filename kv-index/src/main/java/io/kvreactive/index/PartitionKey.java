package io.kvreactive.index;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The values that say which logical partition an item is in: as many as the definition has paths
 * for it. Ids and unique keys are unique in each.
 *
 * @param values text, number, boolean or null each; a missing property counts as null
 */
public record PartitionKey(List<@Nullable Object> values) {
  /** Of a collection that is not partitioned. */
  public static final PartitionKey NONE = new PartitionKey(List.of());

  public PartitionKey {
    values = Collections.unmodifiableList(Arrays.asList(values.toArray()));
  }

  /** With those values. */
  public static PartitionKey of(@Nullable Object... values) {
    return new PartitionKey(Arrays.asList(values));
  }
}
