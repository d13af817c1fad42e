package io.kvreactive.index.internal.collection;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.index.internal.store.CollectionKeys;
import io.kvreactive.index.internal.store.CollectionView;
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

/** Reads single items. */
final class ItemReader {
  private static final int ATTEMPTS = 20;

  private final KvEngine engine;
  private final Views views;

  ItemReader(KvEngine engine, Views views) {
    this.engine = engine;
    this.views = views;
  }

  /**
   * What was found.
   *
   * @param view the collection as it is
   * @param found the item, also when it has expired; null when there is none
   */
  record Seen(CollectionView view, Identity identity, @Nullable Found found) {}

  /** How a docId is stored. */
  static KvValue docIdValue(long docId) {
    byte[] bytes = ByteBuffer.allocate(Long.BYTES).putLong(docId).array();
    return new KvValue(KvValue.Encoding.BYTES, bytes);
  }

  /** Emits what there is of a partition and id. */
  Mono<Seen> find(Function<CollectionView, Identity> identity) {
    return views.current().flatMap(view -> find(view, identity.apply(view), identity));
  }

  private Mono<Seen> find(
      CollectionView view, Identity identity, Function<CollectionView, Identity> again) {
    byte[] idKey = identity.key(view);
    return engine
        .read(List.of(ReadRange.point(view.recordKey()), ReadRange.point(idKey)), null)
        .flatMap(
            read -> {
              CollectionView now = views.of(read.pages().get(0));
              if (now != view) {
                return views
                    .current()
                    .flatMap(changed -> find(changed, again.apply(changed), again));
              }
              return byDocId(view.keys(), read.pages().get(1), idKey, ATTEMPTS)
                  .map(found -> new Seen(view, identity, found))
                  .defaultIfEmpty(new Seen(view, identity, null));
            })
        .publishOn(Signals.worker());
  }

  /** Emits the item whose docId is stored at a key; empty when there is none. */
  Mono<Found> findBy(CollectionKeys keys, byte[] keyOfDocId) {
    return findBy(keys, keyOfDocId, ATTEMPTS).publishOn(Signals.worker());
  }

  private Mono<Found> findBy(CollectionKeys keys, byte[] keyOfDocId, int attempts) {
    return engine
        .read(List.of(ReadRange.point(keyOfDocId)), null)
        .flatMap(read -> byDocId(keys, read.pages().get(0), keyOfDocId, attempts));
  }

  /** An item that is gone when it is read was replaced by one of another docId, or is gone. */
  private Mono<Found> byDocId(
      CollectionKeys keys, RangePage page, byte[] keyOfDocId, int attempts) {
    if (page.entries().isEmpty()) {
      return Mono.empty();
    }
    long docId =
        ByteBuffer.wrap(Objects.requireNonNull(page.entries().get(0).value()).bytes()).getLong();
    return get(keys, docId)
        .switchIfEmpty(
            Mono.defer(
                () ->
                    attempts > 0
                        ? findBy(keys, keyOfDocId, attempts - 1)
                        : Mono.error(dangling(docId))));
  }

  private static KvException dangling(long docId) {
    return new KvException(
        KvErrorCode.CORRUPT, "an id without its item " + docId + " (expected: both or none)");
  }

  private Mono<Found> get(CollectionKeys keys, long docId) {
    return engine
        .read(List.of(ReadRange.point(keys.item(docId))), null)
        .flatMap(
            read -> {
              List<StoredEntry> entries = read.pages().get(0).entries();
              return entries.isEmpty()
                  ? Mono.empty()
                  : Mono.just(new Found(docId, item(entries.get(0))));
            });
  }

  static StoredItem item(StoredEntry entry) {
    return StoredItem.decode(Objects.requireNonNull(entry.value()).bytes(), entry.versionstamp());
  }
}
