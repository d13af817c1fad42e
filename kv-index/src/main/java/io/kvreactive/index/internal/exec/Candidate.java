package io.kvreactive.index.internal.exec;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.index.internal.layout.DecodedEntry;
import io.kvreactive.index.internal.store.StoredItem;
import org.jspecify.annotations.Nullable;

/**
 * An item that may give rows.
 *
 * @param position where it stands
 * @param entry the entry it was found by; null when it was not found by one
 * @param item null as long as it is not loaded
 * @param stand what stands for the document, as far as the query looks at it; null for nothing
 */
record Candidate(
    long docId,
    ScanPosition position,
    @Nullable DecodedEntry entry,
    @Nullable StoredItem item,
    @Nullable ObjectNode stand) {

  /** In the order of numbers. */
  static Candidate of(long docId) {
    return new Candidate(
        docId, ScanPosition.item(ScanPosition.Kind.ITEMS, docId), null, null, null);
  }

  static Candidate of(byte[] raw, DecodedEntry entry) {
    return new Candidate(
        entry.docId(), ScanPosition.entry(ScanPosition.Kind.ENTRIES, raw), entry, null, null);
  }

  Candidate with(StoredItem loaded) {
    return new Candidate(docId, position, entry, loaded, null);
  }

  /** Without what was loaded, which may be large. */
  Candidate unloaded() {
    return new Candidate(docId, position, entry, null, null);
  }

  Candidate standing(ObjectNode document) {
    return new Candidate(docId, position, entry, null, document);
  }

  Candidate at(ScanPosition other) {
    return new Candidate(docId, other, entry, item, stand);
  }

  boolean isReady() {
    return item != null || stand != null;
  }

  /** Whether it is loaded, and kept out of the indexes. */
  boolean isUnindexed() {
    return item != null && !item.indexed();
  }

  ObjectNode document() {
    if (stand != null) {
      return stand;
    }
    if (item == null) {
      throw new IllegalStateException("the item " + docId + " is not loaded");
    }
    return item.document();
  }
}
