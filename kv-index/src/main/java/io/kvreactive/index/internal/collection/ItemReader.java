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
import reactor.core.publisher.Mono;

/** Reads single items. */
final class ItemReader {
  private static final int ATTEMPTS = 20;

  private final KvEngine engine;

  ItemReader(KvEngine engine) {
    this.engine = engine;
  }

  /** How a docId is stored. */
  static KvValue docIdValue(long docId) {
    byte[] bytes = ByteBuffer.allocate(Long.BYTES).putLong(docId).array();
    return new KvValue(KvValue.Encoding.BYTES, bytes);
  }

  /** Emits the item of a partition and id, also when it has expired; empty when there is none. */
  Mono<Found> find(CollectionView view, Identity identity) {
    return findBy(view.keys(), identity.key(view), ATTEMPTS).publishOn(Signals.worker());
  }

  /** Emits the item whose docId is stored at a key; empty when there is none. */
  Mono<Found> findBy(CollectionKeys keys, byte[] keyOfDocId) {
    return findBy(keys, keyOfDocId, ATTEMPTS).publishOn(Signals.worker());
  }

  /** An item that is gone when it is read was replaced by one of another docId, or is gone. */
  private Mono<Found> findBy(CollectionKeys keys, byte[] keyOfDocId, int attempts) {
    return engine
        .read(List.of(ReadRange.point(keyOfDocId)), null)
        .flatMap(
            read -> {
              RangePage page = read.pages().get(0);
              if (page.entries().isEmpty()) {
                return Mono.empty();
              }
              byte[] bytes = Objects.requireNonNull(page.entries().get(0).value()).bytes();
              long docId = ByteBuffer.wrap(bytes).getLong();
              return get(keys, docId)
                  .switchIfEmpty(
                      Mono.defer(
                          () ->
                              attempts > 0
                                  ? findBy(keys, keyOfDocId, attempts - 1)
                                  : Mono.error(dangling(docId))));
            });
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
    return StoredItem.decode(
        Objects.requireNonNull(entry.value()).bytes(), entry.versionstamp());
  }
}
