package io.kvreactive.documents;

import io.kvreactive.Versionstamp;
import org.immutables.value.Value;
import org.jspecify.annotations.Nullable;

/**
 * Options of a write. Immutable; start from {@link #DEFAULT}.
 *
 * @param ifMatch the etag that the item must still have; null for any
 * @param directive the directive for indexing the item
 */
@Value.Builder
public record WriteOptions(@Nullable Versionstamp ifMatch, IndexingDirective directive)
    implements WithWriteOptions {
  /** Default options: any etag, indexed according to the policy. */
  public static final WriteOptions DEFAULT = new WriteOptions(null, IndexingDirective.DEFAULT);

  /** Returns options for a write that requires this etag. */
  public static WriteOptions ifMatch(Versionstamp etag) {
    return DEFAULT.withIfMatch(etag);
  }
}
