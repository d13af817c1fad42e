package io.kvreactive.documents.internal.transform;

import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.internal.collection.CollectionMetadataCache;
import io.kvreactive.documents.internal.layout.StoredVectorIndex;
import io.kvreactive.documents.internal.store.CollectionKeys;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.store.NeighborIndexCache;
import io.kvreactive.spi.ChangesRequest;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.ReadRange;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Maintains collections in the background. The service builds and removes indexes, applies pending
 * indexing of lazy collections, and maintains approximate vector indexes. It also sweeps expired
 * items and removes dropped collections. Several processes may maintain the same store.
 */
public final class MaintenanceService {
  private static final Logger LOG = LoggerFactory.getLogger(MaintenanceService.class);
  private static final Duration RETRY = Duration.ofSeconds(5);
  private static final long BOOKMARK_MILLIS = 60_000;
  private static final long OVERDUE_SWEEP_DELAY_MILLIS = 1_000;

  /** Maximum time between sweeps, because other processes write and the clock may be set. */
  private static final long MAX_SWEEP_DELAY_MILLIS = 60_000;

  private final KvEngine engine;
  private final Scheduler worker;
  private final LongAdder traffic;
  private final DocumentStoreOptions options;
  private final CollectionCatalog catalog;
  private final ItemExpirySweeper sweeps;
  private final String owner = UUID.randomUUID().toString();
  private final NamedTasks tasks;
  private final LazyIndexer lazyIndexer;
  private final NeighborThread neighbors;
  private final Disposable.Swap feed = Disposables.swap();
  private final Disposable.Swap retry = Disposables.swap();
  private final Map<String, SweepTimer> sweepTimers = new ConcurrentHashMap<>();

  /** The timer of the next sweep of a collection, which may be earlier than necessary. */
  private record SweepTimer(long second, Disposable timer) {}

  public MaintenanceService(
      KvEngine engine,
      Scheduler worker,
      LongAdder traffic,
      DocumentStoreOptions options,
      CollectionCatalog catalog,
      NeighborIndexCache neighborIndexes) {
    this.engine = engine;
    this.worker = worker;
    this.traffic = traffic;
    this.tasks = new NamedTasks(worker);
    this.options = options;
    this.catalog = catalog;
    this.sweeps = new ItemExpirySweeper(engine, worker, options);
    this.lazyIndexer = new LazyIndexer(engine, worker, traffic, tasks, this::checkPending);
    this.neighbors = new NeighborThread(engine, worker, traffic, options.root(), neighborIndexes);
  }

  /** Starts with the work that is left over, and then follows changes. */
  public void start() {
    ReadRange definitions = CollectionKeys.definitions(options.root(), 1);
    ChangesRequest request =
        new ChangesRequest(definitions.start(), definitions.end(), null, BOOKMARK_MILLIS, false);
    feed.replace( // the former feed has ended
        engine
            .changes(request)
            .publishOn(worker, 1)
            .subscribe(
                commit -> {
                  if (!commit.changes().isEmpty()) {
                    checkAll();
                  }
                },
                this::feedFailed));
    checkAll();
  }

  /** Handles a failed feed. A store without a change feed is polled. */
  private void feedFailed(Throwable e) {
    if (KvError.is(e, KvErrorCode.CLOSED)) {
      tasks.stop();
      return;
    }
    LOG.debug("definitions of collections cannot be followed, they are read again later", e);
    retry.replace( // not update: the former timer may still be running
        worker.schedule(this::start, RETRY.toMillis(), TimeUnit.MILLISECONDS));
  }

  /** Checks all collections. */
  private void checkAll() {
    tasks.trigger(
        "checking all collections",
        () ->
            catalog
                .names()
                .doOnNext(this::changed)
                .doOnComplete(
                    () -> lazyIndexer.names().forEach(this::checkPending)) // or already removed
                .thenMany(catalog.dropped())
                .doOnNext(this::clear)
                .then());
  }

  /** Checks for work after the definition of a collection was changed. */
  public void changed(String name) {
    CollectionMetadataCache metadataCache =
        new CollectionMetadataCache(engine, worker, options.root(), name);
    tasks.trigger(
        "transforming the indexes of " + name,
        () ->
            new IndexTransformer(
                    engine, worker, traffic, options.root(), owner, metadataCache, tasks::stopped)
                .run());
    tasks.trigger("removing expired items of " + name, () -> sweep(name, metadataCache));
    tasks.trigger("checking the vector indexes of " + name, () -> vectors(metadataCache));
    checkPending(name);
  }

  /**
   * Notifies the vector thread of a collection with approximate vector indexes, or a dropped one.
   */
  private Mono<Void> vectors(CollectionMetadataCache metadataCache) {
    return metadataCache
        .refresh()
        .doOnNext(
            metadata -> {
              if (metadata.writeLayout().vectors().stream()
                  .anyMatch(StoredVectorIndex::isApproximate)) {
                neighbors.changed(metadataCache.name());
              }
            })
        .doOnError(
            DocumentException.class,
            e -> {
              if (e.code() == DocumentErrorCode.COLLECTION_NOT_FOUND) {
                neighbors.changed(metadataCache.name());
              }
            })
        .then();
  }

  /** Checks a collection that may have pending indexing. */
  private void checkPending(String name) {
    CollectionMetadataCache metadataCache =
        new CollectionMetadataCache(engine, worker, options.root(), name);
    tasks.trigger("indexing pending items of " + name, () -> lazyIndexer.catchUp(metadataCache));
  }

  /** Schedules the removal of the keys of dropped collections. */
  public void dropped() {
    checkAll();
  }

  /** Removes the remaining keys of a dropped collection, and with the last ones its record. */
  private void clear(String id) {
    CollectionKeys keys = new CollectionKeys(options.root(), id, 0, 0);
    ReadRange all = new ReadRange(keys.allStart(), keys.allEnd(), 1, false, true);
    RangeJob.Deletion deletion =
        (deletes, isLast) -> {
          if (isLast) {
            deletes.add(new Mutation.Delete(CollectionKeys.dropped(options.root(), id)));
          }
          return engine.commit(new Commit(List.of(), deletes)).then();
        };
    tasks.trigger(
        "removing the keys of dropped collection " + id,
        () -> RangeJob.ofDeletes(engine, worker, traffic, tasks::stopped).delete(all, deletion));
  }

  private Mono<Void> sweep(String name, CollectionMetadataCache metadataCache) {
    AdaptiveThrottle throttle = new AdaptiveThrottle(traffic, 1, 1);
    disarm(name); // items that are written from here on arm the timer again
    return metadataCache
        .refresh()
        .flatMap(
            metadata ->
                Mono.defer(
                        () -> {
                          long start = System.nanoTime();
                          return sweepSome(metadata)
                              .flatMap(
                                  removed -> {
                                    long elapsed = System.nanoTime() - start;
                                    return Mono.delay(throttle.done(0, 0, elapsed, elapsed), worker)
                                        .thenReturn(removed);
                                  });
                        })
                    .repeat(() -> !tasks.stopped())
                    .takeUntil(removed -> removed < sweeps.limit(metadata))
                    .then(Mono.defer(() -> scheduleSweep(name, metadata))))
        .then();
  }

  /**
   * Sweeps some expired items. Nothing is removed while the store's clock may be wrong, because
   * removals are final.
   */
  private Mono<Integer> sweepSome(CollectionMetadata metadata) {
    return engine.confirmedNow() < engine.now() ? Mono.just(0) : sweeps.some(metadata);
  }

  /** Schedules the next sweep for when the next item expires, or may have expired. */
  private Mono<Void> scheduleSweep(String name, CollectionMetadata metadata) {
    return metadata.defaultTtl() == null
        ? Mono.empty()
        : sweeps
            .next(metadata)
            .defaultIfEmpty(Long.MAX_VALUE)
            .doOnNext(second -> expires(name, second))
            .then();
  }

  /**
   * Schedules a sweep of a collection, unless there is an earlier one. Thread-safe.
   *
   * @param second the second at which an item expires; {@code Long.MAX_VALUE} if it is not known
   */
  public void expires(String name, long second) {
    SweepTimer known = sweepTimers.get(name);
    if (tasks.stopped() || known != null && known.second() <= second) {
      return;
    }
    sweepTimers.compute(
        name,
        (same, armed) -> {
          if (armed != null && armed.second() <= second) {
            return armed;
          }
          if (armed != null) {
            armed.timer().dispose();
          }
          return new SweepTimer(second, timer(name, second));
        });
    if (tasks.stopped()) {
      disarm(name);
    }
  }

  private Disposable timer(String name, long second) {
    long now = options.clock().instant().toEpochMilli();
    long wait =
        second > (now + MAX_SWEEP_DELAY_MILLIS) / 1000
            ? MAX_SWEEP_DELAY_MILLIS
            : second * 1000 > now ? second * 1000 - now : OVERDUE_SWEEP_DELAY_MILLIS;
    return worker.schedule(
        () ->
            tasks.trigger(
                "removing expired items of " + name,
                () ->
                    sweep(name, new CollectionMetadataCache(engine, worker, options.root(), name))),
        wait,
        TimeUnit.MILLISECONDS);
  }

  private void disarm(String name) {
    SweepTimer armed = sweepTimers.remove(name);
    if (armed != null) {
      armed.timer().dispose();
    }
  }

  /** Cancels all work, and completes when the work in progress has ended. */
  public Mono<Void> close() {
    return Mono.defer(
        () -> {
          feed.dispose();
          retry.dispose();
          lazyIndexer.close();
          Mono<Void> ended = tasks.stop();
          Set.copyOf(sweepTimers.keySet()).forEach(this::disarm);
          return ended.then(neighbors.close());
        });
  }
}
