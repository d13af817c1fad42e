package io.kvreactive.index.internal.transform;

import io.kvreactive.index.internal.store.CollectionKeys;
import io.kvreactive.spi.KvEngine;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Counts items in parts: all at once, a million takes one core for half a second, in which others
 * do not get it.
 */
final class ItemCount {
  private static final long PART = 1 << 16;

  /** A key that is counted; measured: 0.5 µs. */
  private static final long KEY_NANOS = 500;

  private final KvEngine engine;
  private final Scheduler worker;
  private final CollectionKeys keys;
  private final AdaptiveThrottle pace;
  private final BooleanSupplier stopped;

  ItemCount(
      KvEngine engine,
      Scheduler worker,
      CollectionKeys keys,
      AdaptiveThrottle pace,
      BooleanSupplier stopped) {
    this.engine = engine;
    this.worker = worker;
    this.keys = keys;
    this.pace = pace;
    this.stopped = stopped;
  }

  /**
   * How far it is.
   *
   * @param next the first docId that is not counted
   * @param step how many docIds to look at
   */
  private record Part(long next, long step, long items) {}

  /** Emits how many items there are up to a docId; empty when it was stopped. */
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
              Duration pause = pace.read(found * KEY_NANOS);
              return pause.isZero()
                  ? Mono.just(counted)
                  : Mono.delay(pause, worker).thenReturn(counted);
            });
  }

  /** Where there are few items it goes faster. */
  private static long step(long step, long found) {
    long more = Math.min(step * 4, Long.MAX_VALUE / 8);
    return found == 0 ? more : Math.max(PART, Math.min(more, step / found * PART));
  }
}
