package io.kvreactive.index.internal.exec;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.index.internal.collection.RangePager;
import io.kvreactive.index.internal.store.CollectionMetadata;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.ReadRange;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

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
  static Mono<IndexLag> count(KvEngine engine, Scheduler worker, CollectionMetadata metadata) {
    ReadRange pending =
        new ReadRange(
            metadata.keys().pendingStart(), metadata.keys().pendingEnd(), PAGE, false, true);
    return RangePager.pages(engine, worker, null, pending)
        .map(page -> (long) page.entries().size())
        .scan(Long::sum)
        .takeUntil(sum -> sum > MAX_COUNTED)
        .last()
        .map(sum -> new IndexLag(Math.min(sum, MAX_COUNTED), sum > MAX_COUNTED));
  }

  void addTo(ObjectNode plan) {
    plan.put("indexLag", items).put("indexLagMore", more);
  }
}
