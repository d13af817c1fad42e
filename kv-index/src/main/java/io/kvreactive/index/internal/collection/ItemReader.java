package io.kvreactive.index.internal.collection;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.index.internal.store.CollectionMetadata;
import io.kvreactive.index.internal.store.PendingIndexing;
import io.kvreactive.index.internal.store.StoredItem;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.StoredEntry;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** Reads single items. */
final class ItemReader {
  private static final int ATTEMPTS = 20;

  private final KvEngine engine;
  private final Scheduler worker;
  private final CollectionMetadataCache views;
  private final boolean toWrite;

  /**
   * @param toWrite whether it is read too whether the indexes lag behind the item
   */
  ItemReader(KvEngine engine, Scheduler worker, CollectionMetadataCache views, boolean toWrite) {
    this.engine = engine;
    this.worker = worker;
    this.views = views;
    this.toWrite = toWrite;
  }

  /**
   * What was found.
   *
   * @param view the collection as it is
   * @param found the item, also when it has expired; null when there is none
   */
  record Seen(CollectionMetadata view, ItemIdentity identity, @Nullable FoundItem found) {}

  /** How a docId is stored. */
  static KvValue docIdValue(long docId) {
    byte[] bytes = ByteBuffer.allocate(Long.BYTES).putLong(docId).array();
    return new KvValue(KvValue.Encoding.BYTES, bytes);
  }

  /** Emits what there is of a partition and id. */
  Mono<Seen> find(Function<CollectionMetadata, ItemIdentity> identity) {
    return views.current().flatMap(view -> find(view, identity.apply(view), identity));
  }

  private Mono<Seen> find(
      CollectionMetadata view,
      ItemIdentity identity,
      Function<CollectionMetadata, ItemIdentity> again) {
    byte[] idKey = identity.key(view);
    return engine
        .read(List.of(ReadRange.point(view.recordKey()), ReadRange.point(idKey)), null)
        .flatMap(
            read -> {
              CollectionMetadata now = views.of(read.pages().get(0));
              if (now != view) {
                return views
                    .current()
                    .flatMap(changed -> find(changed, again.apply(changed), again));
              }
              return byDocId(view, read.pages().get(1), idKey, ATTEMPTS)
                  .map(found -> new Seen(view, identity, found))
                  .defaultIfEmpty(new Seen(view, identity, null));
            })
        .publishOn(worker);
  }

  /** Emits the item whose docId is stored at a key; empty when there is none. */
  Mono<FoundItem> findBy(CollectionMetadata view, byte[] keyOfDocId) {
    return findBy(view, keyOfDocId, ATTEMPTS).publishOn(worker);
  }

  private Mono<FoundItem> findBy(CollectionMetadata view, byte[] keyOfDocId, int attempts) {
    return engine
        .read(List.of(ReadRange.point(keyOfDocId)), null)
        .flatMap(read -> byDocId(view, read.pages().get(0), keyOfDocId, attempts));
  }

  /** An item that is gone when it is read was replaced by one of another docId, or is gone. */
  private Mono<FoundItem> byDocId(
      CollectionMetadata view, RangePage page, byte[] keyOfDocId, int attempts) {
    if (page.entries().isEmpty()) {
      return Mono.empty();
    }
    long docId = docIdAt(page);
    return get(view, docId)
        .switchIfEmpty(
            Mono.defer(
                () ->
                    attempts > 0
                        ? findBy(view, keyOfDocId, attempts - 1)
                        : Mono.error(dangling(docId))));
  }

  /** The docId that is stored at a key; 0, which none is, when there is none. */
  static long docIdAt(RangePage page) {
    return page.entries().isEmpty()
        ? 0
        : ByteBuffer.wrap(Objects.requireNonNull(page.entries().get(0).value()).bytes()).getLong();
  }

  private static KvException dangling(long docId) {
    return new KvException(
        KvErrorCode.CORRUPT, "an id without its item " + docId + " (expected: both or none)");
  }

  private Mono<FoundItem> get(CollectionMetadata view, long docId) {
    ReadRange item = ReadRange.point(view.keys().item(docId));
    if (!toWrite || !view.mayLag()) {
      return engine
          .read(List.of(item), null)
          .mapNotNull(read -> found(docId, read.pages().get(0), null));
    }
    ReadRange pending = ReadRange.point(view.keys().pending(docId));
    return engine
        .read(List.of(item, pending), null)
        .flatMap(
            read ->
                read.pages().size() > 1
                    ? Mono.justOrEmpty(found(docId, read.pages().get(0), read.pages().get(1)))
                    : engine // left out as the item is large; the commit checks both
                        .read(List.of(pending), null)
                        .mapNotNull(
                            more -> found(docId, read.pages().get(0), more.pages().get(0))));
  }

  /**
   * What was read of an item; null when it is gone.
   *
   * @param pages that of the item, before it that of what is pending where indexes may lag
   */
  static @Nullable FoundItem found(long docId, List<RangePage> pages) {
    return found(docId, pages.get(pages.size() - 1), pages.size() > 1 ? pages.get(0) : null);
  }

  private static @Nullable FoundItem found(
      long docId, RangePage item, @Nullable RangePage pending) {
    if (item.entries().isEmpty()) {
      return null;
    }
    return new FoundItem(
        docId,
        item(item.entries().get(0)),
        pending == null || pending.entries().isEmpty()
            ? null
            : PendingIndexing.decode(pending.entries().get(0)));
  }

  static StoredItem item(StoredEntry entry) {
    return StoredItem.decode(Objects.requireNonNull(entry.value()).bytes(), entry.versionstamp());
  }
}
