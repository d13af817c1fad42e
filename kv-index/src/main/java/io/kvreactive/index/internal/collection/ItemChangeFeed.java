package io.kvreactive.index.internal.collection;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.Versionstamp;
import io.kvreactive.index.ItemChanges;
import io.kvreactive.index.ItemChanges.Change;
import io.kvreactive.index.internal.store.CollectionKeys;
import io.kvreactive.index.internal.store.CollectionMetadata;
import io.kvreactive.index.internal.store.StoredItem;
import io.kvreactive.index.internal.value.Json;
import io.kvreactive.spi.ChangesRequest;
import io.kvreactive.spi.CommittedChanges;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.StoredChange;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** Change feed of a collection's items, derived from the changes of its keys. */
public final class ItemChangeFeed {
  private static final long BOOKMARK_MILLIS = 5_000;
  private static final int AHEAD = 16;

  private final KvEngine engine;
  private final Scheduler worker;
  private final CollectionMetadataCache metadataCache;

  public ItemChangeFeed(KvEngine engine, Scheduler worker, CollectionMetadataCache metadataCache) {
    this.engine = engine;
    this.worker = worker;
    this.metadataCache = metadataCache;
  }

  /**
   * See {@code DocumentCollection}. Ends with COLLECTION_NOT_FOUND when the collection is dropped.
   */
  public Flux<ItemChanges<ObjectNode>> changes(@Nullable Versionstamp since) {
    return Flux.defer(
        () -> {
          CollectionMetadata known = metadataCache.known();
          return known == null
              ? metadataCache.refresh().flatMapMany(metadata -> changes(metadata, since))
              : changes(known, since) // starts at the current version
                  .takeUntilOther(checked(known))
                  .onErrorResume(Replaced.class, e -> changes(e.metadata, since));
        });
  }

  /**
   * Watches that the collection exists. Never completes. Fails with COLLECTION_NOT_FOUND if the
   * collection does not exist, or with {@link Replaced} if another collection has taken its name.
   */
  private Mono<Void> checked(CollectionMetadata known) {
    return metadataCache
        .refresh()
        .flatMap(
            metadata ->
                Arrays.equals(metadata.keys().itemsStart(), known.keys().itemsStart())
                    ? Mono.never()
                    : Mono.error(new Replaced(metadata)));
  }

  /** Thrown if the cached metadata was that of a collection dropped before the feed began. */
  private static final class Replaced extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient CollectionMetadata metadata;

    Replaced(CollectionMetadata metadata) {
      super(
          "collection \"" + metadata.name() + "\" was dropped and created again",
          null,
          false,
          false);
      this.metadata = metadata;
    }
  }

  private Flux<ItemChanges<ObjectNode>> changes(
      CollectionMetadata metadata, @Nullable Versionstamp since) {
    CollectionKeys keys = metadata.keys();
    ChangesRequest request =
        new ChangesRequest(keys.itemsStart(), keys.deletedEnd(), since, BOOKMARK_MILLIS, false);
    return engine.changes(request).publishOn(worker, AHEAD).map(commit -> items(metadata, commit));
  }

  /**
   * Returns the item changes of a commit. Removals are recorded in the same commit; deletions
   * without such a record mean that the collection is being cleared.
   */
  private static ItemChanges<ObjectNode> items(
      CollectionMetadata metadata, CommittedChanges commit) {
    List<Change<ObjectNode>> changes = new ArrayList<>();
    byte[] deleted = metadata.keys().deleted();
    for (StoredChange change : commit.changes()) {
      if (Arrays.equals(change.key(), deleted)) {
        if (change.value() != null) {
          List<Change<ObjectNode>> gone = new ArrayList<>();
          deletes(Json.parse(change.value().bytes()), gone);
          changes.addAll(0, gone); // before the item that replaces an expired one
        }
      } else if (change.value() != null) {
        changes.add(
            new Change.Upsert<>(
                ItemOperations.item(
                    StoredItem.decode(change.value().bytes(), commit.versionstamp()))));
      }
    }
    if (changes.isEmpty() && !commit.changes().isEmpty()) {
      throw CollectionMetadataCache.notFound(metadata.name());
    }
    return new ItemChanges<>(commit.versionstamp(), Instant.ofEpochMilli(commit.millis()), changes);
  }

  private static void deletes(JsonNode records, List<Change<ObjectNode>> changes) {
    for (JsonNode record : records) {
      List<JsonNode> partition = new ArrayList<>();
      record.path("partition").forEach(partition::add);
      ItemIdentity identity = new ItemIdentity(partition, record.path("id").asText());
      changes.add(new Change.Delete<>(identity.id(), identity.partitionKey()));
    }
  }
}
