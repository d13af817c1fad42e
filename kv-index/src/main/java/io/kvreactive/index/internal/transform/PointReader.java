package io.kvreactive.index.internal.transform;

import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** Reads many single keys. */
final class PointReader {
  private PointReader() {}

  /**
   * Emits a page for each key, on a worker. A read may leave out keys to limit its size; those are
   * read at another version.
   */
  static Mono<List<RangePage>> all(KvEngine engine, Scheduler worker, List<byte[]> keys) {
    List<ReadRange> ranges = keys.stream().map(ReadRange::point).toList();
    return Mono.defer(
        () -> {
          List<RangePage> pages = new ArrayList<>(ranges.size());
          return Mono.defer(() -> engine.read(ranges.subList(pages.size(), ranges.size()), null))
              .doOnNext(read -> pages.addAll(read.pages()))
              .repeat(() -> pages.size() < ranges.size())
              .then(Mono.<List<RangePage>>fromSupplier(() -> pages))
              .publishOn(worker);
        });
  }
}
