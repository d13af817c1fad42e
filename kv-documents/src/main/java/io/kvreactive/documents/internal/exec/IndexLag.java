package io.kvreactive.documents.internal.exec;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.worker.WorkerThread;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import java.util.List;

/**
 * The lag of a collection's indexes, counted up to {@link #MAX_COUNTED}, so that an explanation
 * does not wait for more reads.
 *
 * @param items the number of items counted
 * @param more true if there are more items
 */
record IndexLag(long items, boolean more) {
  /** Maximum number of items counted. */
  static final long MAX_COUNTED = 10_000;

  private static final int PAGE = 1000;

  /** Counts the items that are not indexed yet, each page at its newest version. */
  static IndexLag count(KvEngine engine, CollectionMetadata metadata) {
    ReadRange pending =
        new ReadRange(
            metadata.keys().pendingStart(), metadata.keys().pendingEnd(), PAGE, false, true);
    long items = 0;
    for (ReadRange rest = pending; rest != null && items <= MAX_COUNTED; ) {
      RangePage page = WorkerThread.await(engine.read(List.of(rest), null)).pages().get(0);
      items += page.entries().size();
      rest = page.rest(rest);
    }
    return new IndexLag(Math.min(items, MAX_COUNTED), items > MAX_COUNTED);
  }

  void addTo(ObjectNode plan) {
    plan.put("indexLag", items).put("indexLagMore", more);
  }
}
