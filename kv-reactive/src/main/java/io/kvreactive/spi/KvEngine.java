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
   * @param snapshot the version to read at, or null for the newest
   */
  Mono<ReadResult> read(List<ReadRange> ranges, @Nullable Snapshot snapshot);

  /**
   * Reads keys at the newest version, if that can be done at once: for event loops, which must not
   * wait for a disk. Never blocks.
   *
   * @param ranges what to read
   * @return null if it takes longer, which says nothing about what is stored: {@link #read} then
   */
  default @Nullable ReadResult readNow(List<ReadRange> ranges) {
    return null;
  }

  /**
   * Reads like {@link #read} on the calling thread, which may have to wait for a disk: not for
   * event loops. For callers with threads of their own, to whom handing a short read to another
   * thread costs more than the read.
   *
   * @param ranges what to read; like there, later ones may be left out
   * @param snapshot the version to read at, or null for the newest
   * @return null if this engine has no store of its own to read: {@link #read} then
   * @throws KvException as {@link #read} fails
   */
  default @Nullable ReadResult readHere(List<ReadRange> ranges, @Nullable Snapshot snapshot) {
    return null;
  }

  /** Counts the keys from {@code start} (inclusive) to {@code end} (exclusive) at one version. */
  Mono<Long> count(byte[] start, byte[] end);

  /** Holds the newest version. The subscriber closes what it is given. */
  Mono<Snapshot> snapshot();

  /**
   * Applies a commit, durably before it is answered, or tells which checks failed. A commit that
   * changes nothing may take no versionstamp of its own: the result has that of the newest commit
   * whose effects it has seen, and those are durable before it is answered.
   */
  Mono<CommitResult> commit(Commit commit);

  /**
   * Returns true if commits are applied in the order in which they are subscribed to, also when
   * none waits for the answer to the one before. A load makes several at a time then, else one.
   */
  default boolean commitsInOrder() {
    return true;
  }

  /**
   * Emits the state of the keys now, and again whenever a commit has touched one of them; all keys
   * are read at one version, one page per key. States in between are left out when demand is slow.
   * Completes when the engine is closed.
   */
  Flux<ReadResult> watch(List<byte[]> keys);

  /**
   * Like {@link #watch(List)}, for callers that hold no more than so much: fails with
   * LIMIT_EXCEEDED when a state comes to more. Engines that read a store of their own stop reading
   * there.
   *
   * @param maxBytes of keys that are present and their values, together
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
   * Emits what commits change in a range, one element per commit that changes something there, in
   * commit order, without end. Pulled by demand: nothing is read ahead of it.
   *
   * <p>A bookmark is emitted, when there is demand, as soon as everything has been emitted that was
   * committed before the subscription, unless the last element or {@code since} says as much; and
   * again when nothing has been emitted for a while although there were commits. What is emitted is
   * durable. Completes when the engine is closed.
   *
   * <p>Errors: COMPACTED when the commits after {@code since} are no longer kept; INVALID_ARGUMENT
   * when {@code since} has not been reached yet, or when old values are asked for and not kept.
   */
  Flux<CommittedChanges> changes(ChangesRequest request);

  /**
   * Leases messages of a queue, in the order in which they became ready; waits until there is one.
   * The lease is durable before it is emitted, so that a message whose consumers die counts its
   * deliveries. Cancel gives up; what was leased for it meanwhile goes back uncounted. Errors:
   * CLOSED, also when the engine is closed while this waits; LIMIT_EXCEEDED for the name.
   *
   * @param queue its name; it need not exist yet
   * @param max most messages, at least 1; fewer come when they are large, or when there are fewer
   * @param leaseMillis how long they are leased, at least 1 ms: from then on others get them
   */
  default Mono<List<LeasedMessage>> claim(String queue, int max, long leaseMillis) {
    return Mono.error(noQueues());
  }

  /**
   * Lets leases last so long from now on, which may be shorter than they would have.
   *
   * @return those that were lost before
   */
  default Mono<List<LeaseToken>> extend(List<LeaseToken> leases, long leaseMillis) {
    return Mono.error(noQueues());
  }

  /**
   * Ends a delivery, durably before it completes. Error: LEASE_LOST when the lease has ended in
   * another way; a second {@code Ack} of the same lease completes while it is remembered.
   */
  default Mono<Void> finish(LeaseToken lease, Finish how) {
    return Mono.error(noQueues());
  }

  /** How the queues are doing that have messages or consumers, by name. */
  default Mono<List<QueueStats>> queueStats() {
    return Mono.error(noQueues());
  }

  private static KvException noQueues() {
    return new KvException(KvErrorCode.UNSUPPORTED, "this engine has no queues");
  }

  /**
   * Returns the id of the store's history: the sequence of commits that its versionstamps, cursors
   * and changes belong to. It lasts as long as the store, and is another one after a restore, or
   * after commits were cut off. Null if the engine does not know it.
   */
  default @Nullable UUID historyId() {
    return null;
  }

  /** How the store is doing. Error: UNSUPPORTED when the engine does not tell. */
  default Mono<KvStats> stats() {
    return Mono.error(
        new KvException(KvErrorCode.UNSUPPORTED, "this engine does not tell how it is doing"));
  }

  /**
   * Writes a backup to a directory that is absent or empty, while commits go on. Emits how far it
   * has come, the latest when demand is slow, and completes when it is durable. Cancel stops it and
   * leaves nothing behind. Errors: INVALID_ARGUMENT when there is something in the directory;
   * OVERLOADED while another backup is being taken.
   */
  default Flux<BackupProgress> backup(Path directory) {
    return Flux.error(new KvException(KvErrorCode.UNSUPPORTED, "this engine has no backups"));
  }

  /**
   * Reads everything that is stored and compares what can be compared, beside what goes on. Cancel
   * ends it. Errors: CLOSED, also when the engine is closed meanwhile; IO_FAILED.
   */
  default Mono<VerifyReport> verify() {
    return Mono.error(
        new KvException(KvErrorCode.UNSUPPORTED, "this engine cannot verify what it stores"));
  }

  /** Returns the engine's time, which decides what has expired; milliseconds since 1970. */
  default long now() {
    return System.currentTimeMillis();
  }

  /**
   * Returns the time by which something that has expired may be deleted for good, milliseconds
   * since 1970: earlier than {@link #now} while that may be wrong, as after a start far ahead of
   * the last commit.
   */
  default long confirmedNow() {
    return now();
  }

  /**
   * Builds the store's image anew, without what deletions have left in it, while everything goes
   * on. Emits how far that is, the newest when demand is slow; completes when the new one is in
   * use. Whoever subscribes while it is being done joins. Ends when all have cancelled, and begins
   * by itself when most of the image is empty. Errors: UNSUPPORTED, DISK_FULL, IO_FAILED, CLOSED.
   */
  default Flux<CompactionProgress> compact() {
    return Flux.error(
        new KvException(KvErrorCode.UNSUPPORTED, "this engine has no image to compact"));
  }

  /** Returns the limits that the engine enforces. */
  KvLimits limits();

  /** Completes when everything answered is durable and all resources are free. Idempotent. */
  Mono<Void> close();
}
