package io.kvreactive.index;

import io.kvreactive.Versionstamp;

/**
 * What a watched query emits: the rows there are, {@link Synced}, then how commits change them. A
 * row belongs to an item, so each tells the item's id and partition.
 */
public sealed interface QueryUpdate<R> {
  /** An item that the query yields; one there was before or one that came. */
  record Insert<R>(String id, PartitionKey partitionKey, R row, Versionstamp versionstamp)
      implements QueryUpdate<R> {}

  /** The row of an item is another one now. */
  record Update<R>(String id, PartitionKey partitionKey, R row, Versionstamp versionstamp)
      implements QueryUpdate<R> {}

  /** The query does not yield the item any more: it was changed, deleted or has expired. */
  record Remove<R>(String id, PartitionKey partitionKey, Versionstamp versionstamp)
      implements QueryUpdate<R> {}

  /** All rows there were at that version have been emitted; what follows is news. */
  record Synced<R>(Versionstamp versionstamp) implements QueryUpdate<R> {}
}
