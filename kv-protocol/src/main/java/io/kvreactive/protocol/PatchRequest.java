package io.kvreactive.protocol;

import io.kvreactive.index.PatchOperation;
import io.kvreactive.index.PatchOptions;
import io.kvreactive.index.WriteOptions;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request to patch an item.
 *
 * @param filter the condition that the item must meet, or null
 */
public record PatchRequest(List<PatchOperation> operations, @Nullable String filter) {
  /** Returns the options of the patch. */
  public PatchOptions options(WriteOptions write) {
    return new PatchOptions(filter, write.ifMatch(), write.directive());
  }
}
