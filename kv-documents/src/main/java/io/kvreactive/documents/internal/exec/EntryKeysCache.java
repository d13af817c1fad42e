package io.kvreactive.documents.internal.exec;

import io.kvreactive.documents.internal.layout.EntryKeys;
import io.kvreactive.documents.internal.plan.IndexRef;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Caches the {@link EntryKeys} of the indexes that a collection's queries read: their hashes of
 * paths take longer to compute than a lookup. Thread-safe.
 */
final class EntryKeysCache {
  private static final int MAX_KNOWN = 1024;

  private final Map<IndexRef, EntryKeys> known = new ConcurrentHashMap<>();

  EntryKeys of(IndexRef index) {
    if (index instanceof IndexRef.Terms terms) {
      return EntryKeys.of(terms.index());
    }
    EntryKeys keys = known.get(index);
    if (keys == null) {
      keys = make(index);
      if (known.size() >= MAX_KNOWN) {
        known.clear();
      }
      known.put(index, keys);
    }
    return keys;
  }

  private static EntryKeys make(IndexRef index) {
    if (index instanceof IndexRef.Composite composite) {
      return EntryKeys.of(composite.index());
    }
    return index instanceof IndexRef.Tuple tuple
        ? EntryKeys.of(tuple.index())
        : EntryKeys.of(((IndexRef.Range) index).path());
  }
}
