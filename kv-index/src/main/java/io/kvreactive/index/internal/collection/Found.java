package io.kvreactive.index.internal.collection;

import io.kvreactive.index.internal.store.StoredItem;

/** An item that is stored; it may have expired. */
record Found(long docId, StoredItem item) {}
