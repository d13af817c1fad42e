package io.kvreactive.index.internal.collection;

import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** Reads ranges page by page, driven by demand. */
public final class RangePager {
  private RangePager() {}

  /**
   * Emits the pages of a range.
   *
   * @param worker the scheduler that emits the pages
   * @param snapshot the snapshot to read; null to read each page at the newest version
   * @param range the range; its limit is the limit of a page
   */
  public static Flux<RangePage> pages(
      KvEngine engine, Scheduler worker, KvEngine.@Nullable Snapshot snapshot, ReadRange range) {
    return page(engine, worker, snapshot, range)
        .expand(
            page -> {
              byte[] last = page.resumeAfter();
              return last == null
                  ? Mono.empty()
                  : page(engine, worker, snapshot, range.after(last));
            });
  }

  private static Mono<RangePage> page(
      KvEngine engine, Scheduler worker, KvEngine.@Nullable Snapshot snapshot, ReadRange range) {
    return engine.read(List.of(range), snapshot).publishOn(worker).map(read -> read.pages().get(0));
  }
}
