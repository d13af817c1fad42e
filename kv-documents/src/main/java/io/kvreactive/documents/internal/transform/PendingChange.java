package io.kvreactive.documents.internal.transform;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.kvreactive.KvValue;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.internal.collection.EntryValues;
import io.kvreactive.documents.internal.collection.ItemCommit;
import io.kvreactive.documents.internal.collection.VectorMarks;
import io.kvreactive.documents.internal.layout.ItemEntries;
import io.kvreactive.documents.internal.layout.KeyDiff;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.store.PendingIndexing;
import io.kvreactive.documents.internal.store.StoredItem;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The changes that bring the indexes up to date with one item.
 *
 * @param pending the check that the pending indexing is unchanged
 * @param item the check that the item is unchanged, or still absent
 * @param removals the deletions of all index entries of the item
 * @param mutations the index changes, and the deletion of the pending indexing
 */
record PendingChange(Check pending, Check item, List<Mutation> removals, List<Mutation> mutations) {
  /**
   * Computes the changes for an item.
   *
   * @param item the stored item; null if it was removed
   * @throws DocumentException if the item has too many entries
   */
  static PendingChange of(
      CollectionMetadata metadata, StoredEntry pending, @Nullable StoredEntry item) {
    long docId = metadata.keys().docIdOfPending(pending.key());
    StoredItem old = PendingIndexing.decode(pending).indexed();
    List<byte[]> before =
        old == null ? List.of() : ItemCommit.storedEntries(metadata, docId, old, old.indexable());
    List<byte[]> after = List.of();
    JsonNode document = MissingNode.getInstance();
    if (item != null) {
      StoredItem now = StoredItem.decode(item);
      if (now.indexed()) {
        document = now.indexable();
        after = ItemEntries.of(metadata.writeLayout(), document, docId).keys();
      }
    }
    KeyDiff diff = KeyDiff.between(before, after);
    List<Mutation> mutations = new ArrayList<>();
    diff.deleted().forEach(key -> mutations.add(new Mutation.Delete(metadata.keys().entry(key))));
    // by a new definition the item may lack entries of its former version
    List<byte[]> added = metadata.building() ? after : diff.added();
    VectorMarks.add(metadata, diff.deleted(), mutations);
    VectorMarks.add(metadata, added, mutations);
    for (byte[] key : added) {
      KvValue value = EntryValues.of(metadata.writeLayout(), key, document);
      mutations.add(new Mutation.Set(metadata.keys().entry(key), value));
    }
    mutations.add(new Mutation.Delete(pending.key()));
    byte[] itemKey = metadata.keys().item(docId);
    List<Mutation> removals = new ArrayList<>();
    before.forEach(key -> removals.add(new Mutation.Delete(metadata.keys().entry(key))));
    VectorMarks.add(metadata, before, removals);
    return new PendingChange(
        new Check(pending.key(), pending.versionstamp()),
        new Check(itemKey, item == null ? null : item.versionstamp()),
        removals,
        mutations);
  }

  /**
   * Returns a first step for an item whose old and new entries do not fit into one commit: it
   * removes the item's entries. Returns null if there are no entries to remove.
   */
  @Nullable PendingChange removal() {
    if (removals.isEmpty()) {
      return null;
    }
    List<Mutation> all = new ArrayList<>(removals);
    all.add(new Mutation.Set(pending.key(), PendingIndexing.encode(null)));
    return new PendingChange(pending, item, List.of(), all);
  }

  /** Returns the size in bytes of keys and vectors. */
  long bytes() {
    long bytes = 0;
    for (Mutation mutation : mutations) {
      bytes += BuildBatch.bytes(mutation);
    }
    return bytes;
  }
}
