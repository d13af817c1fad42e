package io.kvreactive.documents.internal.collection;

import io.kvreactive.documents.internal.layout.StoredVectorIndex;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.spi.Mutation;
import java.util.Collection;
import java.util.List;

/**
 * Marks of the items whose vectors a commit changes, for approximate vector indexes. Queries read
 * the marked items in addition to the results of the structure in memory, until the structure has
 * caught up.
 */
public final class VectorMarks {
  private VectorMarks() {}

  /**
   * Adds the marks for the given index entries.
   *
   * @param entries the index entries that a commit puts or deletes, of any index, without the
   *     prefix of the store
   */
  public static void add(
      CollectionMetadata metadata, Collection<byte[]> entries, List<Mutation> out) {
    StoredVectorIndex.approximate(metadata.writeLayout(), entries)
        .forEach(
            (number, docIds) -> {
              out.add(mark(metadata.keys().lastVectorMark(number)));
              docIds.forEach(docId -> out.add(mark(metadata.keys().vectorMark(number, docId))));
            });
  }

  private static Mutation mark(byte[] key) {
    return Mutation.Set.blind(key, ItemCommit.NOTHING);
  }
}
