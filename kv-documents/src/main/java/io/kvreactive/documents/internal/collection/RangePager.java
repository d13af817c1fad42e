package io.kvreactive.documents.internal.collection;

import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
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

  /**
   * Emits the page of each range, in order. A read that omits the last ranges to limit its size is
   * followed by another, which begins when all of its pages were emitted.
   *
   * @param worker the scheduler that emits the pages
   * @param snapshot the snapshot to read; null for reads at the newest version each
   */
  public static Flux<RangePage> each(
      KvEngine engine,
      Scheduler worker,
      KvEngine.@Nullable Snapshot snapshot,
      List<ReadRange> ranges) {
    if (ranges.isEmpty()) {
      return Flux.empty();
    }
    return Flux.defer(
        () -> {
          int[] emitted = {0};
          return Mono.defer(() -> engine.read(ranges.subList(emitted[0], ranges.size()), snapshot))
              .publishOn(worker)
              .flatMapIterable(ReadResult::pages)
              .doOnNext(page -> emitted[0]++)
              .repeat(() -> emitted[0] < ranges.size());
        });
  }

  private static Mono<RangePage> page(
      KvEngine engine, Scheduler worker, KvEngine.@Nullable Snapshot snapshot, ReadRange range) {
    return engine.read(List.of(range), snapshot).publishOn(worker).map(read -> read.pages().get(0));
  }
}
