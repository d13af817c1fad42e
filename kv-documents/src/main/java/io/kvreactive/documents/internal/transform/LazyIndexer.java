package io.kvreactive.documents.internal.transform;

import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.internal.collection.CollectionMetadataCache;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.spi.ChangesRequest;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.StoredChange;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** Applies pending indexing of lazy collections, and notifies of new pending entries. */
final class LazyIndexer {
  private static final Logger LOG = LoggerFactory.getLogger(LazyIndexer.class);
  private static final Duration RETRY = Duration.ofSeconds(5);
  private static final long BOOKMARK_MILLIS = 60_000;
  private static final int MIN_BATCH = 16;

  private final KvEngine engine;
  private final Scheduler worker;
  private final LongAdder traffic;
  private final NamedTasks tasks;
  private final Consumer<String> somethingNew;
  private final Map<String, Followed> followed = new HashMap<>(); // by name; guarded by this
  private boolean closed; // guarded by this

  /** The change feed of pending indexing from {@code start} on. */
  private record Followed(byte[] start, Disposable feed) {}

  /**
   * Creates a lazy indexer.
   *
   * @param somethingNew the callback for the name of a collection with new pending entries
   */
  LazyIndexer(
      KvEngine engine,
      Scheduler worker,
      LongAdder traffic,
      NamedTasks tasks,
      Consumer<String> somethingNew) {
    this.engine = engine;
    this.worker = worker;
    this.traffic = traffic;
    this.tasks = tasks;
    this.somethingNew = somethingNew;
  }

  /**
   * Completes when everything that was pending at the start has been applied. Error: {@link
   * IndexWork.Stale}.
   */
  Mono<Void> catchUp(CollectionMetadataCache metadataCache) {
    return metadataCache
        .refresh()
        .doOnError(DocumentException.class, e -> gone(metadataCache.name(), e))
        .flatMap(
            metadata -> {
              if (!metadata.isLazy()) {
                unfollow(metadataCache.name());
                return Mono.<Void>empty();
              }
              follow(metadataCache.name(), metadata);
              return metadata.defersEntries()
                  ? catchUp(metadata)
                      .run()
                      .onErrorResume(IndexWork.Stale.class, e -> restart(metadataCache))
                  : Mono.<Void>empty();
            });
  }

  /** Starts again with the current definition. */
  private Mono<Void> restart(CollectionMetadataCache metadataCache) {
    return tasks.stopped() ? Mono.empty() : catchUp(metadataCache);
  }

  private PendingApplier catchUp(CollectionMetadata metadata) {
    AdaptiveThrottle throttle =
        new AdaptiveThrottle(traffic, MIN_BATCH, PendingApplier.maxItems(engine));
    return new PendingApplier(
        engine, worker, metadata, throttle, tasks::stopped, count -> Mono.empty());
  }

  /** Returns the names of the followed collections. */
  synchronized Set<String> names() {
    return Set.copyOf(followed.keySet());
  }

  private void gone(String name, DocumentException e) {
    if (e.code() == DocumentErrorCode.COLLECTION_NOT_FOUND) {
      unfollow(name);
    }
  }

  private synchronized void follow(String name, CollectionMetadata metadata) {
    byte[] start = metadata.keys().pendingStart();
    Followed known = followed.get(name);
    if (closed || known != null && Arrays.equals(known.start(), start)) {
      return;
    }
    unfollow(name);
    ChangesRequest request =
        new ChangesRequest(start, metadata.keys().pendingEnd(), null, BOOKMARK_MILLIS, false);
    Disposable feed =
        engine
            .changes(request)
            .publishOn(worker, 1)
            .subscribe(
                commit -> {
                  if (commit.changes().stream().anyMatch(LazyIndexer::isNew)) {
                    somethingNew.accept(name);
                  }
                },
                e -> failed(name, start, e));
    followed.put(name, new Followed(start, feed));
  }

  private static boolean isNew(StoredChange change) {
    return change.kind() == StoredChange.Kind.SET;
  }

  /**
   * Handles a failed feed. Without a feed, or with one that lost its position, the collection is
   * checked again later.
   */
  private void failed(String name, byte[] start, Throwable e) {
    if (KvError.is(e, KvErrorCode.CLOSED)) {
      return;
    }
    LOG.debug("the pending items of {} cannot be followed; they are read again later", name, e);
    synchronized (this) {
      Followed known = followed.get(name);
      if (known != null && Arrays.equals(known.start(), start)) {
        followed.remove(name);
      }
    }
    var unused =
        worker.schedule(
            () -> somethingNew.accept(name),
            RETRY.toMillis(),
            java.util.concurrent.TimeUnit.MILLISECONDS);
  }

  private synchronized void unfollow(String name) {
    @Nullable Followed known = followed.remove(name);
    if (known != null) {
      known.feed().dispose();
    }
  }

  /** Ends all feeds. */
  synchronized void close() {
    closed = true;
    Set.copyOf(followed.keySet()).forEach(this::unfollow);
  }
}
