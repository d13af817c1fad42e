package io.kvreactive.documents.internal.transform;

import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.internal.collection.CollectionMetadataCache;
import io.kvreactive.documents.internal.store.CollectionRecord;
import io.kvreactive.documents.internal.store.CollectionRecord.Drop;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.ReadRange;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** Runs the background work that a collection's definition requires, until no work is left. */
final class IndexTransformer {
  private static final Logger LOG = LoggerFactory.getLogger(IndexTransformer.class);
  private static final int MIN_BATCH = 64;
  private static final int MAX_BATCH = 8192;
  private static final long FRESH_MILLIS = 5_000;
  private static final Duration RETRY_DELAY = Duration.ofSeconds(1);

  /** Maximum pause after failures, in multiples of {@link #RETRY_DELAY}. */
  private static final int MAX_PAUSE = 30;

  private final KvEngine engine;
  private final Scheduler worker;
  private final String root;
  private final String owner;
  private final CollectionMetadataCache metadataCache;
  private final LongAdder traffic;
  private final BooleanSupplier stopped;
  private final AtomicInteger failures = new AtomicInteger();
  private volatile @Nullable Versionstamp lastSeen;

  IndexTransformer(
      KvEngine engine,
      Scheduler worker,
      LongAdder traffic,
      String root,
      String owner,
      CollectionMetadataCache metadataCache,
      BooleanSupplier stopped) {
    this.engine = engine;
    this.worker = worker;
    this.root = root;
    this.owner = owner;
    this.metadataCache = metadataCache;
    this.traffic = traffic;
    this.stopped = stopped;
  }

  /**
   * Completes when no work is left, the collection has been dropped, or this transformer is
   * stopped.
   */
  Mono<Void> run() {
    return Mono.defer(this::step)
        .onErrorResume(this::failed)
        .repeat(() -> !stopped.getAsBoolean())
        .takeUntil(more -> !more)
        .then();
  }

  /** Runs one step and emits true if there may be more work. */
  private Mono<Boolean> step() {
    return IndexWork.read(engine, owner, metadataCache)
        .publishOn(worker)
        .flatMap(
            work -> {
              if (work.metadata().record().settled()) {
                return Mono.just(false);
              }
              if (!Objects.equals(work.at(), lastSeen)) { // the work has progressed
                lastSeen = work.at();
                failures.set(0);
              }
              if (work.ownedByOthers(FRESH_MILLIS)) {
                return Mono.delay(RETRY_DELAY, worker).thenReturn(true);
              }
              return work(work).doOnSuccess(done -> failures.set(0)).then(Mono.just(true));
            });
  }

  private Mono<Void> work(IndexWork work) {
    if (PendingDrain.isDue(work.metadata().record())) {
      AdaptiveThrottle throttle =
          new AdaptiveThrottle(traffic, MIN_BATCH, PendingApplier.maxItems(engine));
      return new PendingDrain(engine, worker, work, throttle, stopped).run();
    }
    if (!IndexBuilder.openBuilds(work).isEmpty()) {
      int maxSize = Math.min(MAX_BATCH, engine.limits().maxBatchSize());
      AdaptiveThrottle throttle = new AdaptiveThrottle(traffic, MIN_BATCH, maxSize);
      return new IndexBuilder(engine, work, new RangeJob(engine, worker, throttle, stopped)).run();
    }
    return drop(work);
  }

  /** Removes the remaining entries of the index that was dropped first. */
  private Mono<Void> drop(IndexWork work) {
    CollectionRecord record = work.metadata().record();
    List<Drop> drops = record.drops();
    List<String> names = List.of(IndexWorkRecord.drop(drops.get(0)));
    ReadRange all = IndexSpaces.of(drops.get(0), root, record);
    Mono<Void> begin =
        work.hasBegun(names)
            ? Mono.empty()
            : engine.count(all.start(), all.end()).flatMap(total -> work.begin(names, total));
    RangeJob.Deletion deletion =
        (deletes, isLast) -> {
          List<Drop> left = drops.subList(1, drops.size());
          CollectionRecord definition =
              isLast ? record.with(record.bases(), record.builds(), left) : null;
          return work.commit(
              work.advanced(names, 0, deletes.size(), definition), definition, List.of(), deletes);
        };
    return begin.then(RangeJob.ofDeletes(engine, worker, traffic, stopped).delete(all, deletion));
  }

  private Mono<Boolean> failed(Throwable e) {
    if (e instanceof IndexWork.Stale) {
      return Mono.just(true);
    }
    boolean over =
        KvError.is(e, DocumentErrorCode.COLLECTION_NOT_FOUND) || KvError.is(e, KvErrorCode.CLOSED);
    if (over) {
      return Mono.just(false);
    }
    LOG.warn("the indexes of collection {} are changed later", metadataCache.name(), e);
    int pause = Math.min(failures.incrementAndGet(), MAX_PAUSE);
    return Mono.delay(RETRY_DELAY, worker)
        .repeat(() -> !stopped.getAsBoolean())
        .take(pause)
        .then(Mono.just(true));
  }
}
