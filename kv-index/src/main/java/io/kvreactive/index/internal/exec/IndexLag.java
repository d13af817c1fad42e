package io.kvreactive.index.internal.exec;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.index.internal.collection.RangePager;
import io.kvreactive.index.internal.store.CollectionMetadata;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.ReadRange;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * How many items indexes lag behind, counted up to some: who asks for a plan does not wait for more
 * than these to be read.
 *
 * @param items that were counted
 * @param more whether there are more
 */
record IndexLag(long items, boolean more) {
  /** Items that are counted. */
  static final long MOST = 10_000;

  private static final int PAGE = 1000;

  /** Counts, at the newest version of each page. */
  static Mono<IndexLag> count(KvEngine engine, Scheduler worker, CollectionMetadata view) {
    ReadRange pending =
        new ReadRange(view.keys().pendingStart(), view.keys().pendingEnd(), PAGE, false, true);
    return RangePager.pages(engine, worker, null, pending)
        .map(page -> (long) page.entries().size())
        .scan(Long::sum)
        .takeUntil(sum -> sum > MOST)
        .last()
        .map(sum -> new IndexLag(Math.min(sum, MOST), sum > MOST));
  }

  void tell(ObjectNode plan) {
    plan.put("indexLag", items).put("indexLagMore", more);
  }
}
