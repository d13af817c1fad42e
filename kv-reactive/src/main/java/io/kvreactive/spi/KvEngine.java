package io.kvreactive.spi;

import io.kvreactive.BackupProgress;
import io.kvreactive.CommitResult;
import io.kvreactive.CompactionProgress;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvLimits;
import io.kvreactive.KvStats;
import io.kvreactive.VerifyReport;
import io.kvreactive.Versionstamp;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The engine behind a {@code Kv}: a store of byte strings. The guarantees are FoundationDB's:
 * commits are strictly serialisable, a read sees one version, and sees every commit that was
 * answered before the read was requested.
 *
 * <p>All publishers are cold: nothing happens before a subscription, and each subscription is one
 * execution. Signals may come on any thread of the engine, on the subscribing one, and on the
 * Vert.x context that was current at subscribe; {@code Kv} moves them to the subscriber's context.
 * Errors are {@code KvException}s.
 */
public interface KvEngine {
  /** A version that several reads share. The history that it needs is kept until it is closed. */
  interface Snapshot extends AutoCloseable {
    Versionstamp versionstamp();

    /**
     * Releases the snapshot, so that the history that it needs may be purged. Never blocks.
     * Idempotent.
     */
    @Override
    void close();
  }

  /** Returns the name of the store in the names of threads; empty if it has none. */
  default String name() {
    return "";
  }

  /**
   * Reads ranges at one version, like {@link #read(List, Snapshot, long)} with the engine's own
   * maximum of bytes.
   */
  default Mono<ReadResult> read(List<ReadRange> ranges, @Nullable Snapshot snapshot) {
    return read(ranges, snapshot, Long.MAX_VALUE);
  }

  /**
   * Reads ranges at one version. The result ends with the entry that reaches the maximum of bytes:
   * the page of its range ends with {@code SIZE}, and later ranges are omitted. The result has at
   * least one entry if there is one, and at least the page of the first range. The caller requests
   * the rest at the same snapshot.
   *
   * @param ranges the ranges; may be empty
   * @param snapshot the version to read at, or null for the newest
   * @param maxBytes the size of keys and values at which the result ends, at least 1. An engine has
   *     a maximum of its own, about 4 MB. A remote engine may exceed {@code maxBytes}.
   */
  Mono<ReadResult> read(List<ReadRange> ranges, @Nullable Snapshot snapshot, long maxBytes);

  /**
   * Reads ranges like {@link #read(List, Snapshot)}, and omits none. A read that omits the last
   * ranges is followed by another, on demand. The results together have one page for each range, in
   * order.
   *
   * @param ranges the ranges; no read if there are none
   * @param snapshot the version to read at, or null for the newest of each read
   */
  default Flux<ReadResult> readAll(List<ReadRange> ranges, @Nullable Snapshot snapshot) {
    if (ranges.isEmpty()) {
      return Flux.empty();
    }
    return Flux.defer(
        () -> {
          int[] answered = {0};
          return Mono.defer(() -> read(ranges.subList(answered[0], ranges.size()), snapshot))
              .doOnNext(result -> answered[0] += result.pages().size())
              .repeat(() -> answered[0] < ranges.size());
        });
  }

  /**
   * Reads a range to its end, page by page. The next page is read on demand. Emits one page without
   * entries if the range has none.
   *
   * @param range the range; its limit is the limit of a page
   * @param snapshot the version to read at, or null for the newest of each page
   */
  default Flux<RangePage> pages(ReadRange range, @Nullable Snapshot snapshot) {
    return page(range, snapshot)
        .expand(
            page -> {
              ReadRange rest = page.rest(range);
              return rest == null ? Mono.empty() : page(rest, snapshot);
            });
  }

  private Mono<RangePage> page(ReadRange range, @Nullable Snapshot snapshot) {
    return read(List.of(range), snapshot).map(result -> result.pages().get(0));
  }

  /**
   * Reads keys at the newest version, if that is possible without waiting for a disk: for event
   * loops. Never blocks. {@code Kv.get} calls it before {@link #read}, so an engine around another
   * one that overrides {@code read} overrides this method too.
   *
   * @param ranges the keys, as ranges
   * @return the result, or null if the read would have to wait, whether or not the keys exist: use
   *     {@link #read} then
   */
  default @Nullable ReadResult readNow(List<ReadRange> ranges) {
    return null;
  }

  /**
   * Reads like {@link #read} on the calling thread, which may have to wait for a disk and so must
   * not be an event loop. For callers with threads of their own: handing a short read to another
   * thread costs more than the read.
   *
   * @param ranges the ranges; as in {@link #read}, the result may omit later ones
   * @param snapshot the version to read at, or null for the newest
   * @param maxBytes the size of keys and values at which the result ends, at least 1
   * @return the result, or null if this engine has no local store: use {@link #read} then
   * @throws KvException as {@link #read} fails
   */
  default @Nullable ReadResult readHere(
      List<ReadRange> ranges, @Nullable Snapshot snapshot, long maxBytes) {
    return null;
  }

  /** Counts the keys from {@code start} (inclusive) to {@code end} (exclusive) at one version. */
  Mono<Long> count(byte[] start, byte[] end);

  /** Emits a snapshot of the newest version. The subscriber must close it. */
  Mono<Snapshot> snapshot();

  /**
   * Executes a commit and emits the result: committed and visible, or the failed checks. An engine
   * with {@link io.kvreactive.Durability#SYNC} has made the commit durable by then.
   *
   * <p>A commit with a set, a delete, a message or a remembered id takes a versionstamp, even if it
   * deletes an absent key. A commit without effect takes none: one without mutations, or with
   * touches of absent keys and deletions of empty ranges only. Its result has the versionstamp of
   * the newest commit that it saw. {@link CommitRules} applies the mutations.
   *
   * <p>Cancellation before the commit is executed prevents it.
   */
  Mono<CommitResult> commit(Commit commit);

  /**
   * Returns true if commits are applied in the order in which they are subscribed to, even if none
   * waits for the answer to the previous one. A load then executes several commits at a time,
   * otherwise one.
   */
  default boolean commitsInOrder() {
    return true;
  }

  /**
   * Returns true if a snapshot keeps all entries at its version. Otherwise reads at a snapshot fail
   * when keys that were read at it before have changed, and its version is a lower bound. A list in
   * a transaction then fails with UNSUPPORTED and reads nothing.
   */
  default boolean keepsVersions() {
    return true;
  }

  /** Returns true if {@link #changes} is supported. Otherwise it fails with UNSUPPORTED. */
  default boolean followsChanges() {
    return true;
  }

  /**
   * Returns true if reads return the times of expiry of entries. Otherwise they return 0 for every
   * entry.
   */
  default boolean returnsExpiry() {
    return true;
  }

  /**
   * Emits the state of the keys at once, and again whenever a commit has touched one of them; all
   * keys are read at one version, one page per key. Intermediate states are skipped if demand is
   * slow. Completes when the engine is closed.
   */
  Flux<ReadResult> watch(List<byte[]> keys);

  /**
   * Like {@link #watch(List)}, for callers with bounded memory: fails with LIMIT_EXCEEDED if a
   * state is larger than a maximum. Engines with a local store stop reading there.
   *
   * @param maxBytes the maximum size of all present keys and their values together, in bytes
   */
  default Flux<ReadResult> watch(List<byte[]> keys, long maxBytes) {
    return watch(keys)
        .doOnNext(
            state -> {
              if (state.bytes() > maxBytes) {
                throw ReadResult.tooLarge(maxBytes);
              }
            });
  }

  /**
   * Emits the changes of a range, one element per commit that changes something in it, in commit
   * order, without end. Nothing is read without demand. The removal of expired keys is a commit of
   * the engine itself, which follows soon after their expiry.
   *
   * <p>A bookmark is emitted, on demand, as soon as all commits before the subscription have been
   * emitted, unless the last element or {@code since} has that version already; and again when
   * nothing has been emitted for {@link ChangesRequest#bookmarkMillis} although there were commits.
   * Only durable commits are emitted. Completes when the engine is closed.
   *
   * <p>Errors: COMPACTED if the commits after {@code since} are no longer kept; INVALID_ARGUMENT if
   * {@code since} has not been reached yet, or if old values are requested and not kept.
   */
  Flux<CommittedChanges> changes(ChangesRequest request);

  /**
   * Leases messages of a queue, in the order in which they became ready; waits until there is at
   * least one. The lease is durable before it is emitted, so that deliveries are counted even if a
   * consumer crashes. Cancellation ends the wait; messages that were leased meanwhile are returned,
   * and their deliveries do not count. Errors: CLOSED, also if the engine is closed meanwhile;
   * LIMIT_EXCEEDED for the name.
   *
   * @param queue the name of the queue; it need not exist yet
   * @param max the maximum number of messages, at least 1; fewer if they are large
   * @param leaseMillis the duration of the lease in milliseconds, at least 1; after it other
   *     consumers can lease the messages
   */
  default Mono<List<LeasedMessage>> claim(String queue, int max, long leaseMillis) {
    return Mono.error(noQueues());
  }

  /**
   * Sets the remaining duration of leases, which may also shorten them. Emits the leases that were
   * already lost.
   */
  default Mono<List<LeaseToken>> extend(List<LeaseToken> leases, long leaseMillis) {
    return Mono.error(noQueues());
  }

  /**
   * Ends a delivery durably, then completes. Error: LEASE_LOST if the lease has ended in another
   * way. A second {@code Ack} of the same lease completes while the first is remembered. The same
   * may hold for the other ways.
   */
  default Mono<Void> finish(LeaseToken lease, Finish how) {
    return Mono.error(noQueues());
  }

  /** Emits the statistics of each queue that has messages or consumers, ordered by name. */
  default Mono<List<QueueStats>> queueStats() {
    return Mono.error(noQueues());
  }

  private static KvException noQueues() {
    return new KvException(KvErrorCode.UNSUPPORTED, "this engine has no queues");
  }

  /**
   * Returns the id of the store's history: the sequence of commits to which its versionstamps,
   * cursors and changes belong. The id lasts as long as the store, and changes by a restore, or
   * when commits are cut off. Null if the engine does not know the id.
   */
  default @Nullable UUID historyId() {
    return null;
  }

  /** Emits the statistics of the store. Error: UNSUPPORTED if the engine has none. */
  default Mono<KvStats> stats() {
    return Mono.error(new KvException(KvErrorCode.UNSUPPORTED, "this engine has no statistics"));
  }

  /**
   * Writes a backup to a directory that is absent or empty, while commits continue. Emits the
   * progress, the latest if demand is slow, and completes when the backup is durable. Cancellation
   * stops the backup and leaves nothing behind. Errors: INVALID_ARGUMENT if the directory is not
   * empty; OVERLOADED while another backup is being written.
   */
  default Flux<BackupProgress> backup(Path directory) {
    return Flux.error(new KvException(KvErrorCode.UNSUPPORTED, "this engine has no backups"));
  }

  /**
   * Verifies all stored data while the store is in use. Emits the findings so far several times a
   * second, and finally the complete findings. Cancellation stops the verification. Errors: CLOSED,
   * also if the engine is closed meanwhile; IO_FAILED.
   */
  default Flux<VerifyReport> verify() {
    return Flux.error(new KvException(KvErrorCode.UNSUPPORTED, "this engine has no verification"));
  }

  /** Returns the engine's time, which decides about expiry, in milliseconds since 1970. */
  default long now() {
    return System.currentTimeMillis();
  }

  /**
   * Returns the time up to which expired entries may be deleted for good, in milliseconds since
   * 1970: earlier than {@link #now} while that may be wrong, as after a start far ahead of the last
   * commit.
   */
  default long confirmedNow() {
    return now();
  }

  /**
   * Compacts the store: builds a new image without the free space of deletions, while reads and
   * commits continue. Emits the progress, only the newest if demand is slow, and completes when the
   * new image is in use. A subscription during a compaction joins it. The compaction is aborted
   * when all subscribers have cancelled. It also starts automatically when most of the image is
   * empty. Errors: UNSUPPORTED, DISK_FULL, IO_FAILED, CLOSED.
   */
  default Flux<CompactionProgress> compact() {
    return Flux.error(
        new KvException(KvErrorCode.UNSUPPORTED, "this engine has no image to compact"));
  }

  /**
   * Returns the counter of user operations on layers above this engine, such as collections. The
   * layers count; their background work, such as building an index, yields while the counter
   * changes. Each call returns the same counter, so that the background work of one layer yields to
   * the users of another.
   */
  LongAdder userOperations();

  /** Returns the limits that the engine enforces. */
  KvLimits limits();

  /**
   * Closes the engine. Completes when all answered commits are durable and all resources are
   * released. Idempotent.
   */
  Mono<Void> close();
}
