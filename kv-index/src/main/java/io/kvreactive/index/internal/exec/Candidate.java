package io.kvreactive.index.internal.exec;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.index.internal.layout.Entry;
import io.kvreactive.index.internal.store.StoredItem;
import org.jspecify.annotations.Nullable;

/**
 * An item that may give rows.
 *
 * @param raw the entry it was found by; null when it was not found by one
 * @param entry what that entry tells; null when nobody wants to know
 * @param item null as long as it is not loaded
 * @param stand what stands for the document, as far as the query looks at it; null for nothing
 */
record Candidate(
    long docId,
    byte @Nullable [] raw,
    @Nullable Entry entry,
    @Nullable StoredItem item,
    @Nullable ObjectNode stand) {

  static Candidate of(long docId) {
    return new Candidate(docId, null, null, null, null);
  }

  static Candidate of(long docId, StoredItem item) {
    return new Candidate(docId, null, null, item, null);
  }

  static Candidate of(byte[] raw, Entry entry) {
    return new Candidate(entry.docId(), raw, entry, null, null);
  }

  Candidate with(StoredItem loaded) {
    return new Candidate(docId, raw, entry, loaded, null);
  }

  Candidate standing(ObjectNode document) {
    return new Candidate(docId, raw, entry, null, document);
  }

  boolean isReady() {
    return item != null || stand != null;
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
