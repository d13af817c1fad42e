package io.kvreactive.index;

import io.kvreactive.Versionstamp;
import org.jspecify.annotations.Nullable;

/**
 * Options of a write. Immutable; start from {@link #DEFAULT}.
 *
 * @param ifMatch the etag that the item must still have; null for any
 * @param directive the directive for indexing the item
 */
public record WriteOptions(@Nullable Versionstamp ifMatch, IndexingDirective directive) {
  /** Default options: any etag, indexed according to the policy. */
  public static final WriteOptions DEFAULT = new WriteOptions(null, IndexingDirective.DEFAULT);

  /** Returns options for a write that requires this etag. */
  public static WriteOptions ifMatch(Versionstamp etag) {
    return DEFAULT.withIfMatch(etag);
  }

  /** Returns these options with a required etag; null for any. */
  public WriteOptions withIfMatch(@Nullable Versionstamp etag) {
    return new WriteOptions(etag, directive);
  }

  /** Returns these options with another directive. */
  public WriteOptions withDirective(IndexingDirective directive) {
    return new WriteOptions(ifMatch, directive);
  }
}
