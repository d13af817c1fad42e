package io.kvreactive;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a store is doing. The parts are read one after the other while the store goes on, so they may
 * differ by a few commits.
 *
 * @param version the newest commit that readers see
 * @param durable the newest one of those that no crash takes back; for a store in memory the same
 * @param lastCommit when the newest commit was made, by the store's clock, or null if that is not
 *     known: none since the store was opened, and none in its log
 * @param failure why the store takes no commits now, such as DISK_FULL or IO_FAILED, or null if
 *     nothing is wrong
 * @param storage what it holds
 * @param commits what it has committed
 * @param readers who reads
 * @param queues those that have messages or consumers, by name
 * @param clock the store's time; null if the engine does not tell
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
     * at nine tenths of its pace until the wall clock has caught up.
     */
    AHEAD,

    /** The wall clock has jumped forward by more than an hour, and is not followed as yet. */
    JUMP_HELD,

    /**
     * The store was opened more than a year after its last commit. For ten minutes nothing that has
     * expired is deleted.
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
   * What a store holds.
   *
   * @param keys about how many keys there are; {@code count(KvRange.all())} is exact. This is the
   *     exact number of those in the image, and what the commits in memory add to it, judged by a
   *     sample of them. It includes the store's own records, which are those of messages and of
   *     commit ids; keys that have expired until they are removed; and those deleted as a range
   *     until the image has caught up
   * @param imageBytes of the image: of its file, or of the heap it takes in a store in memory
   * @param logBytes of the commits in the log; 0 for a store in memory
   * @param logSegments files of the log
   * @param memoryBytes about how much heap the commits take that the image lacks, and the versions
   *     that are kept for snapshots
   */
  public record Storage(
      long keys, long imageBytes, long logBytes, int logSegments, long memoryBytes) {}

  /**
   * What a store has committed, counted from when it was opened.
   *
   * @param commits those that took effect, the store's own included: expiry, and what consumers of
   *     queues do
   * @param conflicts those whose checks failed
   * @param refused those that were told OVERLOADED
   * @param batches writes of the log; commits that wait together share one
   * @param perSecond commits a second, over the last ten seconds
   * @param waiting commits in the mailbox
   * @param waitingBytes their size in bytes
   * @param latency from a commit's arrival to its answer
   * @param sync how long the log's syncs took; none for a store in memory
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
   * Who reads a store.
   *
   * @param waiting reads that wait for a thread
   * @param snapshots versions that are held, by lists at one snapshot, transactions and reads under
   *     way
   * @param oldestSnapshotAge for how long the oldest of those has been held; zero when there is
   *     none
   * @param oldestSnapshotLag how many commits were made since
   * @param watches subscriptions to states
   * @param feeds subscriptions to changes
   */
  public record Readers(
      int waiting,
      int snapshots,
      Duration oldestSnapshotAge,
      long oldestSnapshotLag,
      int watches,
      int feeds) {}

  /**
   * How a queue is doing.
   *
   * @param name its name; empty for the one that Deno KV has
   * @param depth messages in it
   * @param ready those that could be delivered now; no more than 10,000 are counted
   * @param leased those with consumers; no more than 10,000 are counted
   * @param delayed all others: those whose time has not come, and those that were not counted
   * @param oldestReady for how long the first of those that could be delivered has waited; zero
   *     when there is none
   * @param consumers those that wait for messages
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
