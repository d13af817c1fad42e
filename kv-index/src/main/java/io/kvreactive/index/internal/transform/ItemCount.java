package io.kvreactive.index.internal.transform;

import io.kvreactive.index.internal.store.CollectionKeys;
import io.kvreactive.spi.KvEngine;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Counts items in parts. Counting a million items at once would occupy one core for half a second.
 */
final class ItemCount {
  private static final long PART = 1 << 16;

  /** Cost of counting a key; measured: 0.5 µs. */
  private static final long KEY_NANOS = 500;

  private final KvEngine engine;
  private final Scheduler worker;
  private final CollectionKeys keys;
  private final AdaptiveThrottle throttle;
  private final BooleanSupplier stopped;

  ItemCount(
      KvEngine engine,
      Scheduler worker,
      CollectionKeys keys,
      AdaptiveThrottle throttle,
      BooleanSupplier stopped) {
    this.engine = engine;
    this.worker = worker;
    this.keys = keys;
    this.throttle = throttle;
    this.stopped = stopped;
  }

  /**
   * The progress of the count.
   *
   * @param next the first document id that is not counted yet
   * @param step the number of document ids to scan next
   */
  private record Part(long next, long step, long items) {}

  /** Emits the number of items up to a document id. Completes empty if it was stopped. */
  Mono<Long> upTo(long last) {
    return Mono.just(new Part(1, PART, 0))
        .expand(
            part -> part.next() > last || stopped.getAsBoolean() ? Mono.empty() : after(part, last))
        .last()
        .filter(part -> part.next() > last)
        .map(Part::items);
  }

  private Mono<Part> after(Part part, long last) {
    long next = part.next() + Math.min(part.step(), last - part.next() + 1);
    return engine
        .count(keys.itemsFrom(part.next()), keys.itemsFrom(next))
        .flatMap(
            found -> {
              Part counted = new Part(next, step(part.step(), found), part.items() + found);
              Duration pause = throttle.read(found * KEY_NANOS);
              return pause.isZero()
                  ? Mono.just(counted)
                  : Mono.delay(pause, worker).thenReturn(counted);
            });
  }

  /** Returns the next step, which is larger where items are sparse. */
  private static long step(long step, long found) {
    long more = Math.min(step * 4, Long.MAX_VALUE / 8);
    return found == 0 ? more : Math.max(PART, Math.min(more, step / found * PART));
  }
}
