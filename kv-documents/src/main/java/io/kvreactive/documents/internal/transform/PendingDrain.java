package io.kvreactive.documents.internal.transform;

import io.kvreactive.documents.internal.store.CollectionKeys;
import io.kvreactive.documents.internal.store.CollectionRecord;
import io.kvreactive.documents.internal.store.CollectionRecord.Build;
import io.kvreactive.spi.KvEngine;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * The first step of a definition change of a lazy collection: applies all pending indexing. Nothing
 * becomes pending meanwhile, so that later builds find indexes that match the items.
 */
final class PendingDrain {
  private static final List<String> JOBS = List.of(IndexWorkRecord.build(CollectionRecord.PENDING));

  private static final long PROGRESS_NANOS = 1_000_000_000;

  private final KvEngine engine;
  private final Scheduler worker;
  private final IndexWork work;
  private final AdaptiveThrottle throttle;
  private final BooleanSupplier stopped;
  private int unreported;
  private long reportedAt = System.nanoTime();

  /**
   * Creates a drain.
   *
   * @param work the index work, in which the drain is due
   */
  PendingDrain(
      KvEngine engine,
      Scheduler worker,
      IndexWork work,
      AdaptiveThrottle throttle,
      BooleanSupplier stopped) {
    this.engine = engine;
    this.worker = worker;
    this.work = work;
    this.throttle = throttle;
    this.stopped = stopped;
  }

  static boolean isDue(CollectionRecord record) {
    Build build = record.build(CollectionRecord.PENDING);
    return build != null && build.error() == null;
  }

  private Build build() {
    return Objects.requireNonNull(work.metadata().record().build(CollectionRecord.PENDING));
  }

  /** Completes when nothing is pending any more, the drain has failed, or this is stopped. */
  Mono<Void> run() {
    Mono<Void> steps =
        pending()
            .flatMap(total -> work.begin(JOBS, total))
            .then(
                Mono.defer(
                    () ->
                        new PendingApplier(
                                engine,
                                worker,
                                work.metadata(),
                                throttle,
                                stopped,
                                this::reportProgress)
                            .run()))
            .then(Mono.defer(this::pending))
            .flatMap(left -> left == 0 ? complete() : Mono.<Void>empty());
    // later builds would miss an item, so all of them fail
    return FailedBuilds.marked(steps, work, work.metadata().record().builds());
  }

  /** Reports the progress from time to time, because each report is a commit. */
  private Mono<Void> reportProgress(int count) {
    unreported += count;
    long now = System.nanoTime();
    if (now - reportedAt < PROGRESS_NANOS) {
      return Mono.empty();
    }
    reportedAt = now;
    int more = unreported;
    unreported = 0;
    return work.commit(work.advanced(JOBS, 0, more, null), null, List.of(), List.of());
  }

  private Mono<Long> pending() {
    CollectionKeys keys = work.metadata().keys();
    return engine.count(keys.pendingStart(), keys.pendingEnd());
  }

  private Mono<Void> complete() {
    CollectionRecord record = work.metadata().record().built(List.of(build()));
    return work.commit(work.advanced(JOBS, 0, 0, record), record, List.of(), List.of());
  }
}
