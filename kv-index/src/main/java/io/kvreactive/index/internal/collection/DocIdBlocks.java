package io.kvreactive.index.internal.collection;

import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.index.internal.store.CollectionKeys;
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
 * what is left of a block when the process ends is never used.
 */
final class DocIdBlocks {
  private static final int BLOCK = 1000;

  private final KvEngine engine;
  private final CollectionKeys keys;
  private long next; // guarded by this, like the following
  private long end;
  private @Nullable Mono<Void> refill;

  DocIdBlocks(KvEngine engine, CollectionKeys keys) {
    this.engine = engine;
    this.keys = keys;
  }

  /** Emits a docId that nobody else has. */
  Mono<Long> take() {
    return Mono.defer(this::takeNow);
  }

  private Mono<Long> takeNow() {
    Mono<Void> more;
    synchronized (this) {
      if (next < end) {
        return Mono.just(next++);
      }
      if (refill == null) {
        refill = reserve().cache();
      }
      more = refill;
    }
    return more.then(Mono.defer(this::takeNow));
  }

  private Mono<Void> reserve() {
    byte[] key = keys.nextDocId();
    return engine
        .read(List.of(ReadRange.point(key)), null)
        .flatMap(read -> move(key, read.pages().get(0).entries()))
        .doFinally(end -> reserved())
        .then();
  }

  private Mono<Boolean> move(byte[] key, List<StoredEntry> found) {
    Versionstamp at = found.isEmpty() ? null : found.get(0).versionstamp();
    KvValue value = found.isEmpty() ? null : found.get(0).value();
    long from =
        value == null ? CollectionKeys.FIRST_DOC_ID : ByteBuffer.wrap(value.bytes()).getLong();
    byte[] moved = ByteBuffer.allocate(Long.BYTES).putLong(from + BLOCK).array();
    Commit commit =
        new Commit(
            List.of(new Check(key, at)),
            List.of(new Mutation.Set(key, new KvValue(KvValue.Encoding.BYTES, moved))));
    return engine
        .commit(commit)
        .flatMap(
            result -> {
              if (!result.committed()) {
                return engine
                    .read(List.of(ReadRange.point(key)), null)
                    .flatMap(read -> move(key, read.pages().get(0).entries()));
              }
              given(from);
              return Mono.just(true);
            });
  }

  private synchronized void given(long from) {
    next = from;
    end = from + BLOCK;
  }

  /** Whoever comes next asks for another block, also when this one could not be had. */
  private synchronized void reserved() {
    refill = null;
  }
}
