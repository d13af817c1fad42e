package io.kvreactive.documents;

import io.kvreactive.Versionstamp;
import org.immutables.value.Value;
import org.jspecify.annotations.Nullable;

/**
 * Options of a patch. Immutable; start from {@link #DEFAULT}.
 *
 * @param filter the condition that the item must meet before the patch: {@code FROM c WHERE c.stock
 *     > 0}, or only its predicate, {@code c.stock > 0}; null for none
 * @param ifMatch the etag that the item must still have; null for any
 * @param directive the directive for indexing the item
 */
@Value.Builder
public record PatchOptions(
    @Nullable String filter, @Nullable Versionstamp ifMatch, IndexingDirective directive)
    implements WithPatchOptions {
  /** Default options: any item, indexed as before. */
  public static final PatchOptions DEFAULT =
      new PatchOptions(null, null, IndexingDirective.DEFAULT);

  /** Returns options for a patch of an item that meets a condition. */
  public static PatchOptions filter(String filter) {
    return DEFAULT.withFilter(filter);
  }

  /** Returns the options of a patch without a condition. */
  static PatchOptions of(WriteOptions options) {
    return new PatchOptions(null, options.ifMatch(), options.directive());
  }
}
