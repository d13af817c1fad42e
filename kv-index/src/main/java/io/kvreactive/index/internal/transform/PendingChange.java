package io.kvreactive.index.internal.transform;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.kvreactive.KvValue;
import io.kvreactive.index.IndexException;
import io.kvreactive.index.internal.collection.EntryValues;
import io.kvreactive.index.internal.collection.ItemCommit;
import io.kvreactive.index.internal.collection.VectorMarks;
import io.kvreactive.index.internal.layout.ItemEntries;
import io.kvreactive.index.internal.layout.KeyDiff;
import io.kvreactive.index.internal.store.CollectionMetadata;
import io.kvreactive.index.internal.store.PendingIndexing;
import io.kvreactive.index.internal.store.StoredItem;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What makes the indexes agree with one item.
 *
 * @param pending that it was pending like this
 * @param item that the item is still the same, or still gone
 * @param removals of all the entries that the indexes have of it
 * @param mutations what is to be done, and that nothing is pending any more
 */
record PendingChange(Check pending, Check item, List<Mutation> removals, List<Mutation> mutations) {
  /**
   * @param item null when it is gone
   * @throws IndexException when it has too many entries
   */
  static PendingChange of(
      CollectionMetadata view, StoredEntry pending, @Nullable StoredEntry item) {
    long docId = view.keys().docIdOfPending(pending.key());
    StoredItem old = PendingIndexing.decode(pending).indexed();
    List<byte[]> before =
        old == null ? List.of() : ItemCommit.storedEntries(view, docId, old, old.indexable());
    List<byte[]> after = List.of();
    JsonNode document = MissingNode.getInstance();
    if (item != null) {
      StoredItem now =
          StoredItem.decode(Objects.requireNonNull(item.value()).bytes(), item.versionstamp());
      if (now.indexed()) {
        document = now.indexable();
        after = ItemEntries.of(view.writeLayout(), document, docId).keys();
      }
    }
    KeyDiff diff = KeyDiff.between(before, after);
    List<Mutation> mutations = new ArrayList<>();
    diff.deleted().forEach(key -> mutations.add(new Mutation.Delete(view.keys().entry(key))));
    // by a new definition it may lack entries that its former self should have had
    List<byte[]> added = view.building() ? after : diff.added();
    VectorMarks.add(view, diff.deleted(), mutations);
    VectorMarks.add(view, added, mutations);
    for (byte[] key : added) {
      KvValue value = EntryValues.of(view.writeLayout(), key, document);
      mutations.add(new Mutation.Set(view.keys().entry(key), value));
    }
    mutations.add(new Mutation.Delete(pending.key()));
    byte[] itemKey = view.keys().item(docId);
    List<Mutation> removals = new ArrayList<>();
    before.forEach(key -> removals.add(new Mutation.Delete(view.keys().entry(key))));
    VectorMarks.add(view, before, removals);
    return new PendingChange(
        new Check(pending.key(), pending.versionstamp()),
        new Check(itemKey, item == null ? null : item.versionstamp()),
        removals,
        mutations);
  }

  /**
   * A first step for an item whose entries, old and new, do not fit into one commit: the indexes
   * forget it. Null when they have nothing of it.
   */
  @Nullable PendingChange removal() {
    if (removals.isEmpty()) {
      return null;
    }
    List<Mutation> all = new ArrayList<>(removals);
    all.add(new Mutation.Set(pending.key(), PendingIndexing.encode(null)));
    return new PendingChange(pending, item, List.of(), all);
  }

  /** Bytes of keys, and of vectors. */
  long bytes() {
    long bytes = 0;
    for (Mutation mutation : mutations) {
      bytes += BuildBatch.bytes(mutation);
    }
    return bytes;
  }
}
