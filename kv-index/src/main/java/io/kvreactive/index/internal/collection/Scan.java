package io.kvreactive.index.internal.collection;

import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Reads ranges page by page, as demand asks. */
public final class Scan {
  private Scan() {}

  /**
   * Emits the pages of a range, on a worker.
   *
   * @param snapshot null: each page at the newest version
   * @param range its limit is that of a page
   */
  public static Flux<RangePage> pages(
      KvEngine engine, KvEngine.@Nullable Snapshot snapshot, ReadRange range) {
    return page(engine, snapshot, range)
        .expand(page -> rest(engine, snapshot, range, page.resumeAfter()));
  }

  private static Mono<RangePage> page(
      KvEngine engine, KvEngine.@Nullable Snapshot snapshot, ReadRange range) {
    return engine
        .read(List.of(range), snapshot)
        .publishOn(Signals.worker())
        .map(read -> read.pages().get(0));
  }

  private static Mono<RangePage> rest(
      KvEngine engine,
      KvEngine.@Nullable Snapshot snapshot,
      ReadRange range,
      byte @Nullable [] last) {
    if (last == null) {
      return Mono.empty();
    }
    byte[] start = Arrays.copyOf(last, last.length + 1);
    return page(
        engine,
        snapshot,
        new ReadRange(start, range.end(), range.limit(), range.reverse(), range.keysOnly()));
  }
}
