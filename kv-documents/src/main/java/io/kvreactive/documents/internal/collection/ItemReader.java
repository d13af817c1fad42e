package io.kvreactive.documents.internal.collection;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.store.StoredItem;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.StoredEntry;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** Reads single items. */
final class ItemReader {
  /** A number that is no document id: these begin at 1. */
  static final long NO_DOC_ID = 0;

  private static final int ATTEMPTS = 20;

  private final KvEngine engine;
  private final Scheduler worker;
  private final CollectionMetadataCache metadataCache;
  private final boolean withPendingIndexing;

  /**
   * Creates a reader.
   *
   * @param withPendingIndexing true to read the pending indexing of items too, as writes require
   */
  ItemReader(
      KvEngine engine,
      Scheduler worker,
      CollectionMetadataCache metadataCache,
      boolean withPendingIndexing) {
    this.engine = engine;
    this.worker = worker;
    this.metadataCache = metadataCache;
    this.withPendingIndexing = withPendingIndexing;
  }

  /**
   * The result of a lookup.
   *
   * @param metadata the current metadata of the collection
   * @param found the item, even if it has expired; null if it does not exist
   */
  record LookupResult(
      CollectionMetadata metadata, ItemIdentity identity, @Nullable FoundItem found) {}

  /** Returns the stored form of a document id. */
  static KvValue docIdValue(long docId) {
    byte[] bytes = ByteBuffer.allocate(Long.BYTES).putLong(docId).array();
    return new KvValue(KvValue.Encoding.BYTES, bytes);
  }

  /** Looks up an item by partition and id. */
  Mono<LookupResult> find(Function<CollectionMetadata, ItemIdentity> identity) {
    return metadataCache
        .current()
        .flatMap(metadata -> find(metadata, identity.apply(metadata), identity));
  }

  private Mono<LookupResult> find(
      CollectionMetadata metadata,
      ItemIdentity identity,
      Function<CollectionMetadata, ItemIdentity> again) {
    byte[] idKey = identity.key(metadata);
    return engine
        .read(List.of(ReadRange.point(metadata.recordKey()), ReadRange.point(idKey)), null)
        .flatMap(
            read -> {
              CollectionMetadata now = metadataCache.of(read.pages().get(0));
              if (now != metadata) {
                return metadataCache
                    .current()
                    .flatMap(changed -> find(changed, again.apply(changed), again));
              }
              return byDocId(metadata, read.pages().get(1), idKey, ATTEMPTS)
                  .map(found -> new LookupResult(metadata, identity, found))
                  .defaultIfEmpty(new LookupResult(metadata, identity, null));
            })
        .publishOn(worker);
  }

  /** Emits the item whose document id is stored at a key. Completes empty if it does not exist. */
  Mono<FoundItem> findBy(CollectionMetadata metadata, byte[] keyOfDocId) {
    return findBy(metadata, keyOfDocId, ATTEMPTS).publishOn(worker);
  }

  private Mono<FoundItem> findBy(CollectionMetadata metadata, byte[] keyOfDocId, int attempts) {
    return engine
        .read(List.of(ReadRange.point(keyOfDocId)), null)
        .flatMap(read -> byDocId(metadata, read.pages().get(0), keyOfDocId, attempts));
  }

  /**
   * Reads an item by document id. If the item is missing, it was removed, or replaced under another
   * document id.
   */
  private Mono<FoundItem> byDocId(
      CollectionMetadata metadata, RangePage page, byte[] keyOfDocId, int attempts) {
    if (page.entries().isEmpty()) {
      return Mono.empty();
    }
    long docId = docIdAt(page);
    return get(metadata, docId)
        .switchIfEmpty(
            Mono.defer(
                () ->
                    attempts > 0
                        ? findBy(metadata, keyOfDocId, attempts - 1)
                        : Mono.error(dangling(docId))));
  }

  /** Returns the document id stored at a key, or {@link #NO_DOC_ID} if the key is absent. */
  static long docIdAt(RangePage page) {
    return page.entries().isEmpty() ? NO_DOC_ID : docId(page.entries().get(0));
  }

  static long docId(StoredEntry entry) {
    return ByteBuffer.wrap(Objects.requireNonNull(entry.value()).bytes()).getLong();
  }

  static KvException dangling(long docId) {
    return new KvException(
        KvErrorCode.CORRUPT, "an id without its item " + docId + " (expected: both or none)");
  }

  private Mono<FoundItem> get(CollectionMetadata metadata, long docId) {
    ReadRange item = ReadRange.point(metadata.keys().item(docId));
    if (!withPendingIndexing || !metadata.mayLag()) {
      return engine
          .read(List.of(item), null)
          .mapNotNull(read -> found(docId, read.pages().get(0), null));
    }
    ReadRange pending = ReadRange.point(metadata.keys().pending(docId));
    return engine
        .read(List.of(item, pending), null)
        .flatMap(
            read ->
                read.pages().size() > 1
                    ? Mono.justOrEmpty(found(docId, read.pages().get(0), read.pages().get(1)))
                    : engine // the item is left out because it is large; the commit checks both
                        .read(List.of(pending), null)
                        .mapNotNull(
                            more -> found(docId, read.pages().get(0), more.pages().get(0))));
  }

  /** Reads ranges, and emits a page for each on a worker, few at a time. */
  static Flux<RangePage> pages(
      KvEngine engine,
      Scheduler worker,
      List<ReadRange> ranges,
      KvEngine.@Nullable Snapshot snapshot) {
    return engine
        .readAll(ranges, snapshot)
        .publishOn(worker, 1)
        .concatMapIterable(ReadResult::pages, 1);
  }

  /** Adds the ranges of an item and, if indexes may lag, of its pending indexing. */
  static void addRanges(CollectionMetadata metadata, long docId, List<ReadRange> ranges) {
    if (metadata.mayLag()) {
      ranges.add(ReadRange.point(metadata.keys().pending(docId)));
    }
    ranges.add(ReadRange.point(metadata.keys().item(docId)));
  }

  /**
   * Returns an item from a read of ranges of {@link #addRanges}, or null if the item has been
   * removed or the read has omitted it.
   *
   * @param index the position of the item among the items that were read
   */
  static @Nullable FoundItem found(
      CollectionMetadata metadata, long docId, List<RangePage> pages, int index) {
    int last = metadata.mayLag() ? 2 * index + 1 : index;
    return last < pages.size()
        ? found(docId, pages.get(last), metadata.mayLag() ? pages.get(last - 1) : null)
        : null;
  }

  /**
   * Returns the item that was read, or null if it has been removed.
   *
   * @param pending the page of its pending indexing; null if indexes cannot lag
   */
  static @Nullable FoundItem found(long docId, RangePage item, @Nullable RangePage pending) {
    if (item.entries().isEmpty()) {
      return null;
    }
    FoundItem found = new FoundItem(docId, StoredItem.decode(item.entries().get(0)), null);
    return pending == null ? found : found.withPending(pending);
  }
}
