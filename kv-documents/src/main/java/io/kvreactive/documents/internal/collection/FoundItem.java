package io.kvreactive.documents.internal.collection;

import io.kvreactive.documents.internal.store.PendingIndexing;
import io.kvreactive.documents.internal.store.StoredItem;
import io.kvreactive.spi.RangePage;
import org.jspecify.annotations.Nullable;

/**
 * A stored item, which may have expired.
 *
 * @param pending the pending indexing of the item; null if its indexes are up to date, or if the
 *     lookup left this out
 */
public record FoundItem(long docId, StoredItem item, @Nullable PendingIndexing pending) {
  /** Returns the item with the pending indexing in the page of its key. */
  public FoundItem withPending(RangePage page) {
    return page.entries().isEmpty()
        ? this
        : new FoundItem(docId, item, PendingIndexing.decode(page.entries().get(0)));
  }

  /**
   * Returns the form of the item that its index entries belong to, or null if it has no entries.
   */
  @Nullable StoredItem indexed() {
    return pending == null ? item : pending.indexed();
  }
}
