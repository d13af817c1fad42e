package io.kvreactive.index.internal.collection;

import io.kvreactive.index.internal.store.PendingIndexing;
import io.kvreactive.index.internal.store.StoredItem;
import org.jspecify.annotations.Nullable;

/**
 * An item that is stored; it may have expired.
 *
 * @param pending that the indexes lag behind it; null when they do not, or when this was not asked
 */
public record FoundItem(long docId, StoredItem item, @Nullable PendingIndexing pending) {
  /** What its entries are of; null for nothing. */
  @Nullable StoredItem indexed() {
    return pending == null ? item : pending.indexed();
  }
}
