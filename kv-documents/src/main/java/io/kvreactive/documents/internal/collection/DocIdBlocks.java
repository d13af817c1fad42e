package io.kvreactive.documents.internal.collection;

import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.internal.store.CollectionKeys;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.StoredEntry;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Allocates document ids, each only once. Ids are reserved in blocks by advancing a counter in a
 * commit. The rest of a block is lost when the process ends. Blocks grow, so that busy writers
 * seldom wait for a new block.
 */
final class DocIdBlocks {
  private static final int FIRST_BLOCK = 1000;
  private static final int MAX_BLOCK = 64_000;

  private final KvEngine engine;
  private final String collectionId;
  private final CollectionKeys keys;
  private long next; // guarded by this, like the following fields
  private long end;
  private int block = FIRST_BLOCK;
  private @Nullable Mono<Boolean> refill;

  DocIdBlocks(KvEngine engine, String collectionId, CollectionKeys keys) {
    this.engine = engine;
    this.collectionId = collectionId;
    this.keys = keys;
  }

  String collectionId() {
    return collectionId;
  }

  /** Returns an unused document id, or null if the next block must be reserved first. */
  synchronized @Nullable Long poll() {
    return next < end ? next++ : null;
  }

  /** Emits an unused document id. Completes empty if the collection's metadata has changed. */
  Mono<Long> take(CollectionMetadata metadata) {
    return Mono.defer(() -> takeNow(metadata));
  }

  private Mono<Long> takeNow(CollectionMetadata metadata) {
    Mono<Boolean> more;
    synchronized (this) {
      if (next < end) {
        return Mono.just(next++);
      }
      if (refill == null) {
        refill = reserve(metadata).cache();
      }
      more = refill;
    }
    return more.flatMap(given -> given ? takeNow(metadata) : Mono.empty());
  }

  private Mono<Boolean> reserve(CollectionMetadata metadata) {
    return engine
        .read(List.of(ReadRange.point(keys.nextDocId())), null)
        .flatMap(read -> advance(metadata, read.pages().get(0).entries()))
        .doOnTerminate(this::endReservation); // before signals to waiters, who may reserve again
  }

  private Mono<Boolean> advance(CollectionMetadata metadata, List<StoredEntry> found) {
    byte[] key = keys.nextDocId();
    Versionstamp at = found.isEmpty() ? null : found.get(0).versionstamp();
    KvValue value = found.isEmpty() ? null : found.get(0).value();
    long from =
        value == null ? CollectionKeys.FIRST_DOC_ID : ByteBuffer.wrap(value.bytes()).getLong();
    int count = nextBlock();
    Commit commit =
        new Commit(
            List.of(new Check(metadata.recordKey(), metadata.versionstamp()), new Check(key, at)),
            List.of(new Mutation.Set(key, ItemReader.docIdValue(from + count))));
    return engine
        .commit(commit)
        .flatMap(
            result -> {
              if (result.committed()) {
                startBlock(from, count);
                return Mono.just(true);
              }
              return result.failedChecks().contains(0) ? Mono.just(false) : reserve(metadata);
            });
  }

  private synchronized int nextBlock() {
    return block;
  }

  private synchronized void startBlock(long from, int count) {
    next = from;
    end = from + count;
    block = Math.min(MAX_BLOCK, 2 * count);
  }

  /** Ends a reservation, also a failed one, so that the next caller reserves another block. */
  private synchronized void endReservation() {
    refill = null;
  }
}
