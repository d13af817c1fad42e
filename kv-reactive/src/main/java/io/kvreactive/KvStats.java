package io.kvreactive;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The statistics of a store. The parts are read one after the other while the store is in use, so
 * they may differ by a few commits.
 *
 * @param version the newest visible commit
 * @param durable the newest commit that no crash can take back; equal to {@code version} for a
 *     store in memory
 * @param lastCommit the time of the newest commit, by the store's clock, or null if it is not
 *     known: no commit since the store was opened, and none in its log
 * @param failure the reason why the store takes no commits now, such as DISK_FULL or IO_FAILED, or
 *     null if it takes commits
 * @param storage the stored data
 * @param commits the commits
 * @param readers the readers
 * @param queues the queues that have messages or consumers, ordered by name; none if they are on a
 *     damaged page of the image
 * @param clock the store's clock; null if the engine does not report it
 */
public record KvStats(
    Versionstamp version,
    Versionstamp durable,
    @Nullable Instant lastCommit,
    @Nullable KvErrorCode failure,
    Storage storage,
    Commits commits,
    Readers readers,
    List<Queue> queues,
    @Nullable Clock clock) {
  public KvStats {
    queues = List.copyOf(queues);
  }

  /** The relation of a store's time to the wall clock. */
  public enum ClockState {
    /** Time follows the wall clock. */
    IN_STEP,

    /**
     * Time is ahead of the wall clock, because that was set back or was wrong before. Time advances
     * at nine tenths of its normal rate until the wall clock has caught up.
     */
    AHEAD,

    /** The wall clock has jumped forward by more than an hour, and is not followed yet. */
    JUMP_HELD,

    /**
     * The store was opened more than a year after its last commit. For ten minutes no expired entry
     * is deleted.
     */
    UNCONFIRMED
  }

  /**
   * A store's clock.
   *
   * @param now the store's time, by which keys expire
   * @param ahead the distance of the store's time from the wall clock; negative if it is behind
   * @param state the relation of the two
   */
  public record Clock(Instant now, Duration ahead, ClockState state) {}

  /**
   * The stored data of a store.
   *
   * @param keys the approximate number of keys; {@code count(KvRange.all())} is exact. The sum of
   *     the exact number of keys in the image and a sampled estimate of the keys in memory.
   *     Includes internal records (messages and commit ids), expired keys that are not yet removed,
   *     and keys of deleted ranges that are still in the image
   * @param imageBytes the size of the image: of its file, or on the heap for a store in memory
   * @param logBytes the size of the commits in the log; 0 for a store in memory
   * @param logSegments the number of files of the log
   * @param memoryBytes the approximate heap used by commits that are not in the image, and by
   *     versions that are kept for snapshots
   * @param damagedPages the number of pages of the image that did not match their checksums since
   *     the store was opened: reads of them fail with CORRUPT
   */
  public record Storage(
      long keys,
      long imageBytes,
      long logBytes,
      int logSegments,
      long memoryBytes,
      long damagedPages) {}

  /**
   * The commits of a store since it was opened.
   *
   * @param commits the number of commits that took effect, including internal ones: expiry and the
   *     bookkeeping of queues
   * @param conflicts the number of commits whose checks failed
   * @param refused the number of commits that failed with OVERLOADED
   * @param batches the number of writes of the log; waiting commits share one
   * @param perSecond the commits per second over the last ten seconds
   * @param waiting the number of commits in the mailbox
   * @param waitingBytes their size in bytes
   * @param latency the time from a commit's arrival to its answer
   * @param sync the duration of syncs of the log; empty for a store in memory
   */
  public record Commits(
      long commits,
      long conflicts,
      long refused,
      long batches,
      double perSecond,
      int waiting,
      long waitingBytes,
      LatencySummary latency,
      LatencySummary sync) {}

  /**
   * The readers of a store.
   *
   * @param waiting the number of reads that wait for a thread
   * @param snapshots the number of held snapshots: of lists at one snapshot, transactions and
   *     running reads
   * @param oldestSnapshotAge the age of the oldest of them; zero if there is none
   * @param oldestSnapshotLag the number of commits since then
   * @param watches the number of watches
   * @param feeds the number of change feeds
   */
  public record Readers(
      int waiting,
      int snapshots,
      Duration oldestSnapshotAge,
      long oldestSnapshotLag,
      int watches,
      int feeds) {}

  /**
   * The state of a queue.
   *
   * @param name the name of the queue; empty for Deno KV's queue
   * @param depth the number of messages
   * @param ready the number of messages that could be delivered now, counted up to 10,000
   * @param leased the number of leased messages, counted up to 10,000
   * @param delayed the number of all other messages: delayed ones, and those that were not counted
   * @param oldestReady the time for which the first ready message has waited; zero if there is none
   * @param consumers the number of consumers that wait for messages
   */
  public record Queue(
      String name,
      long depth,
      int ready,
      int leased,
      long delayed,
      Duration oldestReady,
      int consumers) {}
}
