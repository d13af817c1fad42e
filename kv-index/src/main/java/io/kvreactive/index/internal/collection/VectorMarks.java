package io.kvreactive.index.internal.collection;

import io.kvreactive.index.internal.layout.VectorEntries;
import io.kvreactive.index.internal.store.CollectionMetadata;
import io.kvreactive.spi.Mutation;
import java.util.Collection;
import java.util.List;

/**
 * Marks of items whose vectors a commit changes, for the approximate indexes of vectors: a query
 * reads these items beside what the structure in memory finds, until that follows.
 */
public final class VectorMarks {
  private VectorMarks() {}

  /**
   * Adds the marks that go with some entries.
   *
   * @param entries those that a commit puts or deletes, of any index, without the part of the store
   */
  public static void add(CollectionMetadata view, Collection<byte[]> entries, List<Mutation> out) {
    VectorEntries.approximate(view.writeLayout(), entries)
        .forEach(
            (number, docIds) -> {
              out.add(mark(view.keys().lastVectorMark(number)));
              docIds.forEach(docId -> out.add(mark(view.keys().vectorMark(number, docId))));
            });
  }

  private static Mutation mark(byte[] key) {
    return Mutation.Set.blind(key, ItemCommit.NOTHING);
  }
}
