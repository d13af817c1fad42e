package io.kvreactive.index;

import io.kvreactive.Versionstamp;
import org.jspecify.annotations.Nullable;

/**
 * How to write an item. Immutable; start from {@link #DEFAULT}.
 *
 * @param ifMatch the etag that the item must still have; null for any
 * @param directive whether the item is to be indexed
 */
public record WriteOptions(@Nullable Versionstamp ifMatch, IndexingDirective directive) {
  /** Whatever the etag, indexed as the policy says. */
  public static final WriteOptions DEFAULT = new WriteOptions(null, IndexingDirective.DEFAULT);

  /** Only if the item is still at that etag. */
  public static WriteOptions ifMatch(Versionstamp etag) {
    return DEFAULT.withIfMatch(etag);
  }

  /** Only if the item is still at that etag; null for any. */
  public WriteOptions withIfMatch(@Nullable Versionstamp etag) {
    return new WriteOptions(etag, directive);
  }

  /** With that directive. */
  public WriteOptions withDirective(IndexingDirective directive) {
    return new WriteOptions(ifMatch, directive);
  }
}
