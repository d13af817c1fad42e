package io.kvreactive.spi;

import io.kvreactive.CommitResult;
import io.kvreactive.KvLimits;
import io.kvreactive.Versionstamp;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A store of byte strings that a {@code Kv} works on. The guarantees are FoundationDB's: commits
 * are strictly serialisable, a read sees one version, and sees every commit that was answered
 * before it was asked.
 *
 * <p>All publishers are cold: nothing happens before a subscription, and each subscription is one
 * execution. Signals may come on any thread of the engine; {@code Kv} moves them to the
 * subscriber's context. Errors are {@code KvException}s.
 */
public interface KvEngine {
  /** A version that several reads share. Its history is kept until it is closed. */
  interface Snapshot extends AutoCloseable {
    Versionstamp versionstamp();

    /** Gives the history up. Never blocks; idempotent. */
    @Override
    void close();
  }

  /**
   * Reads ranges at one version. Answers at least the first, and may leave out later ones when a
   * budget of bytes is spent: ask again for those, at the same snapshot.
   *
   * @param ranges what to read; may be empty
   * @param snapshot the version to read at; null for the newest
   */
  Mono<ReadResult> read(List<ReadRange> ranges, @Nullable Snapshot snapshot);

  /** Counts the keys from {@code start} (inclusive) to {@code end} (exclusive) at one version. */
  Mono<Long> count(byte[] start, byte[] end);

  /** Holds the newest version. The subscriber closes what it is given. */
  Mono<Snapshot> snapshot();

  /** Applies a commit, durably before it is answered, or tells which checks failed. */
  Mono<CommitResult> commit(Commit commit);

  /**
   * Emits the state of the keys now, and again whenever a commit has touched one of them; all keys
   * are read at one version, one page per key. States in between are left out when demand is slow.
   * Completes when the engine is closed.
   */
  Flux<ReadResult> watch(List<byte[]> keys);

  /** The limits that the engine enforces. */
  KvLimits limits();

  /** Completes when everything answered is durable and all resources are free. Idempotent. */
  Mono<Void> close();
}
