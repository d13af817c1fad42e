package io.kvreactive.documents;

import java.util.ArrayList;
import java.util.List;

/**
 * Operations on items of one partition key that take effect together or not at all. Immutable: each
 * method returns a batch with one more operation.
 *
 * <pre>{@code
 * TransactionalBatch.of(PartitionKey.of("ada"))
 *     .create(order)
 *     .patch("stock-7", new PatchOperation.Increment("/left", -1))
 *     .delete("cart");
 * }</pre>
 *
 * @param partition the partition key of all items, with a value for each path
 * @param operations the operations, in order
 */
public record TransactionalBatch(PartitionKey partition, List<BatchOperation> operations) {
  /** Maximum number of operations of a batch. */
  public static final int MAX_OPERATIONS = 100;

  /** Maximum bytes of the JSON of all documents that a batch writes. */
  public static final int MAX_BYTES = 4 << 20;

  public TransactionalBatch {
    operations = List.copyOf(operations);
  }

  /** Returns a batch without operations. */
  public static TransactionalBatch of(PartitionKey partition) {
    return new TransactionalBatch(partition, List.of());
  }

  /** Returns this batch, followed by an operation. */
  public TransactionalBatch with(BatchOperation operation) {
    List<BatchOperation> all = new ArrayList<>(operations);
    all.add(operation);
    return new TransactionalBatch(partition, all);
  }

  /** Adds the creation of an item. */
  public TransactionalBatch create(Object document) {
    return with(new BatchOperation.Create(document, WriteOptions.DEFAULT));
  }

  /** Adds the creation or replacement of an item. */
  public TransactionalBatch upsert(Object document) {
    return with(new BatchOperation.Upsert(document, WriteOptions.DEFAULT));
  }

  /** Adds the replacement of an item. */
  public TransactionalBatch replace(Object document) {
    return replace(document, WriteOptions.DEFAULT);
  }

  /** Adds the replacement of an item, with options. */
  public TransactionalBatch replace(Object document, WriteOptions options) {
    return with(new BatchOperation.Replace(document, options));
  }

  /** Adds the reading of an item. */
  public TransactionalBatch read(String id) {
    return with(new BatchOperation.Read(id, WriteOptions.DEFAULT));
  }

  /** Adds a patch of an item. */
  public TransactionalBatch patch(String id, PatchOperation... operations) {
    return patch(id, List.of(operations), PatchOptions.DEFAULT);
  }

  /** Adds a patch of an item, with options. */
  public TransactionalBatch patch(
      String id, List<PatchOperation> operations, PatchOptions options) {
    return with(new BatchOperation.Patch(id, operations, options));
  }

  /** Adds the deletion of an item. */
  public TransactionalBatch delete(String id) {
    return delete(id, WriteOptions.DEFAULT);
  }

  /** Adds the deletion of an item, with options. */
  public TransactionalBatch delete(String id, WriteOptions options) {
    return with(new BatchOperation.Delete(id, options));
  }
}
