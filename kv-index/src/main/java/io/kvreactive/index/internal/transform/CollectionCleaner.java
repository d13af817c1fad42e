package io.kvreactive.index.internal.transform;

import io.kvreactive.index.internal.store.CollectionKeys;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** Removes the remaining keys of a dropped collection. */
final class CollectionCleaner {
  private static final int MAX_KEYS = 10_000;

  private final KvEngine engine;
  private final Scheduler worker;
  private final byte[] record;
  private final byte[] start;
  private final byte[] end;
  private final AdaptiveThrottle throttle;
  private final BooleanSupplier stopped;
  private byte @Nullable [] after; // the end of the keys that this walk has removed

  CollectionCleaner(
      KvEngine engine,
      Scheduler worker,
      String root,
      String id,
      AdaptiveThrottle throttle,
      BooleanSupplier stopped) {
    CollectionKeys keys = new CollectionKeys(root, id, 0, 0);
    this.engine = engine;
    this.worker = worker;
    this.record = CollectionKeys.dropped(root, id);
    this.start = keys.allStart();
    this.end = keys.allEnd();
    this.throttle = throttle;
    this.stopped = stopped;
  }

  /** Returns the maximum number of keys to remove in one commit. */
  static int maxKeys(KvEngine engine) {
    return Math.min(
        MAX_KEYS, Math.min(engine.limits().maxBatchSize(), engine.limits().maxMutations() - 2));
  }

  /** Completes when no keys are left. */
  Mono<Void> run() {
    return chunk().expand(last -> last || stopped.getAsBoolean() ? Mono.empty() : chunk()).then();
  }

  private Mono<Boolean> chunk() {
    return Mono.defer(this::remove).onErrorResume(throttle::isTooLarge, e -> chunk());
  }

  /** Removes some keys and emits true when a walk from the start finds no more keys. */
  private Mono<Boolean> remove() {
    boolean fromStart = after == null;
    ReadRange all = new ReadRange(start, end, throttle.size(), false, true);
    return engine
        .read(List.of(IndexSpaces.after(after, all)), null)
        .publishOn(worker)
        .flatMap(
            read -> {
              RangePage page = read.pages().get(0);
              boolean last = page.resumeAfter() == null && fromStart;
              List<Mutation> deletes = new ArrayList<>();
              page.entries().forEach(entry -> deletes.add(new Mutation.Delete(entry.key())));
              if (last) {
                deletes.add(new Mutation.Delete(record));
              }
              int count = deletes.size();
              long begun = System.nanoTime();
              return engine
                  .commit(new Commit(List.of(), deletes))
                  .flatMap(
                      done -> {
                        after = page.resumeAfter();
                        long elapsed = System.nanoTime() - begun;
                        return Mono.delay(throttle.done(count, count, 0, elapsed), worker);
                      })
                  .thenReturn(last);
            });
  }
}
