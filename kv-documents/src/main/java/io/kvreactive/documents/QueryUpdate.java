package io.kvreactive.documents;

import io.kvreactive.Versionstamp;

/**
 * An event of a watched query: first the existing rows, then {@link Synced}, then the changes that
 * commits make. A row belongs to one item, so each event has the item's id and partition.
 */
public sealed interface QueryUpdate<R> {
  /** An item that the query yields: an existing row before {@link Synced}, a new row after it. */
  record Insert<R>(String id, PartitionKey partitionKey, R row, Versionstamp versionstamp)
      implements QueryUpdate<R> {}

  /** An item whose row has changed. */
  record Update<R>(String id, PartitionKey partitionKey, R row, Versionstamp versionstamp)
      implements QueryUpdate<R> {}

  /** An item that the query no longer yields: it was changed, deleted or has expired. */
  record Remove<R>(String id, PartitionKey partitionKey, Versionstamp versionstamp)
      implements QueryUpdate<R> {}

  /** The end of the existing rows at a version; later events are changes. */
  record Synced<R>(Versionstamp versionstamp) implements QueryUpdate<R> {}
}
