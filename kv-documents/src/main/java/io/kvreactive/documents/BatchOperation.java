package io.kvreactive.documents;

import java.util.List;

/** One operation of a {@link TransactionalBatch}. */
public sealed interface BatchOperation {
  /** Creates an item. */
  record Create(Object document, WriteOptions options) implements BatchOperation {}

  /** Creates an item, or replaces the item with the same id. */
  record Upsert(Object document, WriteOptions options) implements BatchOperation {}

  /** Replaces the item with the same id. */
  record Replace(Object document, WriteOptions options) implements BatchOperation {}

  /**
   * Reads an item, which must exist.
   *
   * @param options the etag that the item must have; the directive has no effect
   */
  record Read(String id, WriteOptions options) implements BatchOperation {}

  /** Patches an item. */
  record Patch(String id, List<PatchOperation> operations, PatchOptions options)
      implements BatchOperation {
    public Patch {
      operations = List.copyOf(operations);
    }
  }

  /** Deletes an item, which must exist. */
  record Delete(String id, WriteOptions options) implements BatchOperation {}
}
