package io.kvreactive.documents.internal.collection;

import io.kvreactive.CommitResult;
import io.kvreactive.KvException;
import io.kvreactive.KvLimits;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.store.StoredItem;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.KvEngine;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Writes items, each with one commit. The writers of several items share its commits and document
 * ids.
 */
final class ItemWriter {
  final KvEngine engine;
  final Scheduler worker;
  final CollectionMetadataCache metadataCache;
  final ItemReader reader; // of items and their pending indexing
  private final DocumentStoreOptions options;
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
   * @param decision the decision on the outcome
   */
  record Write(
      Function<CollectionMetadata, ItemIdentity> identity, boolean blind, Decision decision) {}

  /** Decides the outcome of a write. */
  interface Decision {
    /**
     * Returns the outcome.
     *
     * @param old the existing item; null if it does not exist
     * @throws DocumentException the reason why the write is rejected
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

  /**
   * Commits changes to items and emits the result on a worker.
   *
   * @param firstExpiry the first second at which one of the items expires; {@code Long.MAX_VALUE}
   *     for never
   */
  Mono<CommitResult> commit(Commit commit, long firstExpiry) {
    return engine
        .commit(commit)
        .publishOn(worker)
        .doOnNext(
            result -> {
              if (firstExpiry != Long.MAX_VALUE && result.committed()) {
                expiries.accept(firstExpiry);
              }
            });
  }

  long now() {
    return options.clock().instant().getEpochSecond();
  }

  /** Returns true if readers do not see an item any more. */
  boolean isExpired(CollectionMetadata metadata, StoredItem item) {
    return item.expired(metadata.defaultTtl(), now());
  }

  /** Emits the written item. Completes empty if there was nothing to do. */
  Mono<Written> write(Write write) {
    return Mono.defer(() -> new ItemAttempts(write).attempt());
  }

  /**
   * Removes an item and emits the version. Completes empty if the item does not exist.
   *
   * @param check receives the identity and the existing item, or null if it does not exist; throws
   *     a DocumentException to reject the removal
   */
  Mono<Versionstamp> remove(
      Function<CollectionMetadata, ItemIdentity> identity,
      BiConsumer<ItemIdentity, @Nullable FoundItem> check) {
    Decision decision =
        (metadata, of, old) -> {
          check.accept(of, old);
          return new Outcome(null, null);
        };
    return write(new Write(identity, false, decision)).map(Written::etag);
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

  /** One write of one item with all of its attempts. */
  private final class ItemAttempts extends WriteAttempts<Written> {
    private final Write write;

    ItemAttempts(Write write) {
      super(ItemWriter.this, "the item");
      this.write = write;
    }

    @Override
    Mono<Written> attempt() {
      if (write.blind() && isFirst()) {
        return metadataCache
            .current()
            .flatMap(metadata -> decide(metadata, write.identity().apply(metadata), null));
      }
      return reader
          .find(write.identity())
          .flatMap(seen -> decide(seen.metadata(), seen.identity(), seen.found()));
    }

    private Mono<Written> decide(
        CollectionMetadata metadata, ItemIdentity identity, @Nullable FoundItem found) {
      FoundItem expired = found != null && isExpired(metadata, found.item()) ? found : null;
      FoundItem old = expired == null ? found : null;
      Outcome outcome = write.decision().outcome(metadata, identity, old);
      return old == null && outcome.document() == null
          ? Mono.empty()
          : commit(new ItemPlan(metadata, identity, expired, old, outcome, now()));
    }
  }

  /**
   * The decision on a write of one item.
   *
   * @param expired an expired item of the same id, which is removed
   * @param old the item to replace or to remove
   */
  private record ItemPlan(
      CollectionMetadata metadata,
      ItemIdentity identity,
      @Nullable FoundItem expired,
      @Nullable FoundItem old,
      Outcome outcome,
      long second)
      implements WriteAttempts.Plan<Written> {
    @Override
    public int created() {
      return old == null ? 1 : 0;
    }

    @Override
    public ItemCommit changes(List<Long> docIds, List<FoundItem> expiredHolders, KvLimits limits) {
      ItemCommit commit = new ItemCommit(metadata, limits);
      Document document = outcome.document();
      if (document == null) {
        commit.remove(Objects.requireNonNull(old));
        return commit;
      }
      expiredHolders.forEach(commit::expire);
      if (expired != null) {
        commit.expire(expired);
      }
      Boolean requested = outcome.indexed();
      boolean indexed =
          requested != null ? requested : metadata.definition().indexingPolicy().automatic();
      if (old == null) {
        commit.create(identity, docIds.get(0), document, indexed, second);
      } else {
        commit.replace(old, document, indexed, second);
      }
      return commit;
    }

    @Override
    public Written result(Versionstamp version) {
      return new Written(outcome.document(), version, second, old == null);
    }

    @Override
    public DocumentException tooLarge(KvException e) {
      return new DocumentException(
          DocumentErrorCode.ITEM_TOO_LARGE,
          "item "
              + identity
              + " with its index entries does not fit into one commit of this store: "
              + e.detail(),
          e);
    }

    @Override
    public List<byte[]> claims(ItemCommit changes) {
      return changes.claims();
    }

    @Override
    public DocumentException taken(byte[] claim, DocumentException e) {
      return e;
    }
  }
}
