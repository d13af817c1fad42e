package io.kvreactive.index.internal.collection;

import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.index.internal.store.CollectionKeys;
import io.kvreactive.index.internal.store.CollectionMetadata;
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
 * Gives docIds away, each once. They come in blocks, for which a counter is moved on in a commit;
 * what is left of a block when the process ends is never used. Blocks grow, so that those who write
 * much seldom wait for one.
 */
final class DocIdBlocks {
  private static final int FIRST_BLOCK = 1000;
  private static final int LARGEST_BLOCK = 64_000;

  private final KvEngine engine;
  private final String collectionId;
  private final CollectionKeys keys;
  private long next; // guarded by this, like the following
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

  /** A docId that nobody else has; null when the next block is still to be had. */
  synchronized @Nullable Long poll() {
    return next < end ? next++ : null;
  }

  /** Emits a docId that nobody else has; empty when the collection is not as it was seen. */
  Mono<Long> take(CollectionMetadata view) {
    return Mono.defer(() -> takeNow(view));
  }

  private Mono<Long> takeNow(CollectionMetadata view) {
    Mono<Boolean> more;
    synchronized (this) {
      if (next < end) {
        return Mono.just(next++);
      }
      if (refill == null) {
        refill = reserve(view).cache();
      }
      more = refill;
    }
    return more.flatMap(given -> given ? takeNow(view) : Mono.empty());
  }

  private Mono<Boolean> reserve(CollectionMetadata view) {
    return engine
        .read(List.of(ReadRange.point(keys.nextDocId())), null)
        .flatMap(read -> move(view, read.pages().get(0).entries()))
        .doOnTerminate(this::reserved); // before waiters are told: one without an id asks anew
  }

  private Mono<Boolean> move(CollectionMetadata view, List<StoredEntry> found) {
    byte[] key = keys.nextDocId();
    Versionstamp at = found.isEmpty() ? null : found.get(0).versionstamp();
    KvValue value = found.isEmpty() ? null : found.get(0).value();
    long from =
        value == null ? CollectionKeys.FIRST_DOC_ID : ByteBuffer.wrap(value.bytes()).getLong();
    int count = nextBlock();
    Commit commit =
        new Commit(
            List.of(new Check(view.recordKey(), view.versionstamp()), new Check(key, at)),
            List.of(new Mutation.Set(key, ItemReader.docIdValue(from + count))));
    return engine
        .commit(commit)
        .flatMap(
            result -> {
              if (result.committed()) {
                given(from, count);
                return Mono.just(true);
              }
              return result.failedChecks().contains(0) ? Mono.just(false) : reserve(view);
            });
  }

  private synchronized int nextBlock() {
    return block;
  }

  private synchronized void given(long from, int count) {
    next = from;
    end = from + count;
    block = Math.min(LARGEST_BLOCK, 2 * count);
  }

  /** Whoever comes next asks for another block, also when this one could not be had. */
  private synchronized void reserved() {
    refill = null;
  }
}
