package io.kvreactive.documents.internal.exec;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.internal.layout.EntryKeys.DecodedEntry;
import io.kvreactive.documents.internal.store.StoredItem;
import org.jspecify.annotations.Nullable;

/**
 * A candidate: an item that may give rows.
 *
 * @param position the position of the item in its source
 * @param entry the index entry by which the item was found, or null
 * @param item the loaded item; null before it is loaded
 * @param partialDocument the partial document made from the index entry of a covered query, or null
 */
record Candidate(
    long docId,
    ScanPosition position,
    @Nullable DecodedEntry entry,
    @Nullable StoredItem item,
    @Nullable ObjectNode partialDocument) {

  /** Returns a candidate of a source in document id order. */
  static Candidate of(long docId) {
    return new Candidate(
        docId, ScanPosition.item(ScanPosition.Kind.ITEMS, docId), null, null, null);
  }

  /** Returns a candidate of entries in document id order. */
  static Candidate of(DecodedEntry entry) {
    ScanPosition position = ScanPosition.item(ScanPosition.Kind.ITEMS, entry.docId());
    return new Candidate(entry.docId(), position, entry, null, null);
  }

  static Candidate of(byte[] raw, DecodedEntry entry) {
    return new Candidate(
        entry.docId(), ScanPosition.entry(ScanPosition.Kind.ENTRIES, raw), entry, null, null);
  }

  Candidate with(StoredItem loaded) {
    return new Candidate(docId, position, entry, loaded, null);
  }

  /** Returns this candidate without the loaded item, which may be large. */
  Candidate unloaded() {
    return new Candidate(docId, position, entry, null, null);
  }

  Candidate withPartialDocument(ObjectNode document) {
    return new Candidate(docId, position, entry, null, document);
  }

  Candidate at(ScanPosition other) {
    return new Candidate(docId, other, entry, item, partialDocument);
  }

  boolean isReady() {
    return item != null || partialDocument != null;
  }

  /** Returns true if the item is loaded and excluded from the indexes. */
  boolean isUnindexed() {
    return item != null && !item.indexed();
  }

  ObjectNode document() {
    if (partialDocument != null) {
      return partialDocument;
    }
    if (item == null) {
      throw new IllegalStateException("the item " + docId + " is not loaded");
    }
    return item.document();
  }
}
