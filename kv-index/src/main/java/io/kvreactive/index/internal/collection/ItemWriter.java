package io.kvreactive.index.internal.collection;

import io.kvreactive.CommitResult;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.index.DocumentStoreOptions;
import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.IndexException;
import io.kvreactive.index.internal.store.CollectionMetadata;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.KvEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Writes items, each with one commit. A commit with a conflict is planned again from the current
 * state, up to a limit of attempts.
 */
final class ItemWriter {
  /** Maximum number of attempts of a write with conflicts. */
  static final int ATTEMPTS = 100;

  private static final int MAX_PAUSE_MILLIS = 50;

  private final KvEngine engine;
  private final Scheduler worker;
  private final DocumentStoreOptions options;
  private final CollectionMetadataCache metadataCache;
  private final ItemReader reader;
  private final LongConsumer expiries;
  private @Nullable DocIdBlocks docIds; // of the collection as last seen; guarded by this

  /**
   * Creates a writer.
   *
   * @param expiries receives the second at which the first written item of a commit expires
   */
  ItemWriter(
      KvEngine engine,
      Scheduler worker,
      DocumentStoreOptions options,
      CollectionMetadataCache metadataCache,
      LongConsumer expiries) {
    this.engine = engine;
    this.worker = worker;
    this.options = options;
    this.metadataCache = metadataCache;
    this.reader = new ItemReader(engine, worker, metadataCache, true);
    this.expiries = expiries;
  }

  /**
   * A requested write.
   *
   * @param identity the identity of the item
   * @param blind true if the item is expected not to exist, so that it is only looked up after a
   *     conflict
   * @param plan the decision on the outcome
   */
  record Write(Function<CollectionMetadata, ItemIdentity> identity, boolean blind, Plan plan) {}

  /** Decides the outcome of a write. */
  interface Plan {
    /**
     * Returns the outcome.
     *
     * @param old the existing item; null if it does not exist
     * @throws IndexException the reason why the write is rejected
     */
    Outcome outcome(CollectionMetadata metadata, ItemIdentity identity, @Nullable FoundItem old);
  }

  /**
   * The intended state of an item.
   *
   * @param document the document; null to have no item
   * @param indexed true if the item has index entries; null to follow the indexing policy
   */
  record Outcome(@Nullable Document document, @Nullable Boolean indexed) {}

  /**
   * A written item; a removed item has no document.
   *
   * @param isCreated true if there was no such item before
   */
  record Written(@Nullable Document document, Versionstamp etag, long second, boolean isCreated) {}

  /** Reports the first expiry of a commit, if it was committed and has one. */
  void committed(CommitResult result, long firstExpiry) {
    if (firstExpiry != Long.MAX_VALUE && result.committed()) {
      expiries.accept(firstExpiry);
    }
  }

  long now() {
    return options.clock().instant().getEpochSecond();
  }

  /** Emits the written item. Completes empty if there was nothing to do. */
  Mono<Written> write(Write write) {
    return Mono.defer(() -> new Attempts(write).run());
  }

  /**
   * Returns the document id allocator of a collection. A collection created again under the same
   * name has its own.
   */
  synchronized DocIdBlocks blocks(CollectionMetadata metadata) {
    DocIdBlocks known = docIds;
    if (known == null || !known.collectionId().equals(metadata.record().id())) {
      known = new DocIdBlocks(engine, metadata.record().id(), metadata.keys());
      docIds = known;
    }
    return known;
  }

  /** One write with all of its attempts. */
  private final class Attempts {
    private final Write write;
    private int attempts;
    private boolean lookUpFirst;
    private @Nullable Long docId;
    private String docIdOf = ""; // the id of the collection that docId is of
    private List<FoundItem> expired = new ArrayList<>(); // in conflict, to be removed

    Attempts(Write write) {
      this.write = write;
      this.lookUpFirst = !write.blind();
    }

    Mono<Written> run() {
      if (!lookUpFirst) {
        return metadataCache
            .current()
            .flatMap(metadata -> commit(metadata, write.identity().apply(metadata), null));
      }
      return reader
          .find(write.identity())
          .flatMap(
              seen ->
                  commit(seen.metadata(), seen.identity(), alive(seen.metadata(), seen.found())));
    }

    /** Returns the item if readers see it. An expired item is noted for removal instead. */
    private @Nullable FoundItem alive(CollectionMetadata metadata, @Nullable FoundItem found) {
      if (found != null && found.item().expired(metadata.defaultTtl(), now())) {
        expired.add(found);
        return null;
      }
      return found;
    }

    private Mono<Written> commit(
        CollectionMetadata metadata, ItemIdentity identity, @Nullable FoundItem old) {
      if (!metadata.record().id().equals(docIdOf)) {
        docId = null;
        docIdOf = metadata.record().id();
      }
      Outcome outcome = write.plan().outcome(metadata, identity, old);
      Document document = outcome.document();
      if (document == null) {
        if (old == null) {
          return Mono.empty();
        }
        ItemCommit commit = new ItemCommit(metadata);
        commit.remove(old);
        return commit(metadata, identity, old, commit, null, 0, List.of());
      }
      if (old == null && docId == null) {
        docId = blocks(metadata).poll(); // available in most cases
      }
      if (old == null && docId == null) {
        return blocks(metadata)
            .take(metadata)
            .publishOn(worker)
            .flatMap(
                given -> {
                  docId = given;
                  return put(metadata, identity, null, document, outcome.indexed());
                })
            .switchIfEmpty(Mono.defer(() -> docId == null ? refresh() : Mono.empty()));
      }
      return put(metadata, identity, old, document, outcome.indexed());
    }

    private Mono<Written> put(
        CollectionMetadata metadata,
        ItemIdentity identity,
        @Nullable FoundItem old,
        Document document,
        @Nullable Boolean asked) {
      boolean indexed = asked != null ? asked : metadata.definition().indexingPolicy().automatic();
      long second = now();
      ItemCommit commit = new ItemCommit(metadata);
      expired.forEach(commit::expire);
      List<byte[]> unique =
          old == null
              ? commit.create(identity, Objects.requireNonNull(docId), document, indexed, second)
              : commit.replace(old, document, indexed, second);
      commit.checkDeferred(engine.limits());
      return commit(metadata, identity, old, commit, document, second, unique);
    }

    private Mono<Written> commit(
        CollectionMetadata metadata,
        ItemIdentity identity,
        @Nullable FoundItem old,
        ItemCommit changes,
        @Nullable Document document,
        long second,
        List<byte[]> unique) {
      Commit commit = changes.build();
      return engine
          .commit(commit)
          .onErrorMap(KvException.class, e -> tooLarge(identity, e))
          .publishOn(worker)
          .doOnNext(result -> committed(result, changes.firstExpiry()))
          .flatMap(
              result ->
                  result.committed()
                      ? Mono.just(
                          new Written(
                              document,
                              Objects.requireNonNull(result.versionstamp()),
                              second,
                              old == null))
                      : conflict(metadata, commit, result, unique));
    }

    private Mono<Written> refresh() {
      expired = new ArrayList<>();
      return metadataCache.refresh().flatMap(metadata -> run());
    }

    private Mono<Written> conflict(
        CollectionMetadata metadata, Commit commit, CommitResult result, List<byte[]> unique) {
      lookUpFirst = true;
      expired = new ArrayList<>();
      if (++attempts >= ATTEMPTS) {
        return Mono.error(tooManyConflicts("the item"));
      }
      if (result.failedChecks().contains(ItemCommit.RECORD_CHECK)) {
        return refresh();
      }
      int firstUnique = commit.checks().size() - unique.size();
      if (result.failedChecks().get(0) < firstUnique) {
        return retry(); // the item itself has changed: the unique values may be its own
      }
      return Flux.fromIterable(result.failedChecks())
          .concatMap(failed -> reader.findBy(metadata, unique.get(failed - firstUnique)))
          .distinct(FoundItem::docId)
          .doOnNext(holder -> releaseIfExpired(metadata, holder))
          .then(retry());
    }

    /**
     * Handles a taken unique value. The value of an expired item is free: the item is removed with
     * the next attempt.
     */
    private void releaseIfExpired(CollectionMetadata metadata, FoundItem holder) {
      if (alive(metadata, holder) != null) {
        throw ItemOperations.uniqueTaken(
            ItemIdentity.of(holder.item().document(), metadata).toString());
      }
    }

    private Mono<Written> retry() {
      return pause(attempts, worker).then(Mono.defer(this::run));
    }
  }

  /** Emits on the worker after a random pause that grows with the number of attempts. */
  static Mono<Long> pause(int attempts, Scheduler worker) {
    int bound = Math.min(MAX_PAUSE_MILLIS, 1 << Math.min(attempts, 10));
    Duration pause = Duration.ofNanos(ThreadLocalRandom.current().nextLong(bound * 1_000_000L));
    return Mono.delay(attempts == 1 ? Duration.ZERO : pause, worker);
  }

  /** Returns the error of a write with a conflict in each attempt. */
  static KvException tooManyConflicts(String what) {
    return new KvException(
        KvErrorCode.CONFLICT,
        what
            + " was changed by others in each of "
            + ATTEMPTS
            + " attempts (expected: fewer writers at a time)");
  }

  private static Throwable tooLarge(ItemIdentity identity, KvException e) {
    return e.code() == KvErrorCode.LIMIT_EXCEEDED
        ? new IndexException(
            IndexErrorCode.ITEM_TOO_LARGE,
            "item "
                + identity
                + " with its index entries does not fit into one commit of this store: "
                + e.detail(),
            e)
        : e;
  }
}
