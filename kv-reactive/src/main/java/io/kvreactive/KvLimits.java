package io.kvreactive;

import io.kvreactive.internal.engine.LimitChecks;
import io.kvreactive.internal.shared.ArgumentChecks;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.ReadRange;
import java.util.List;
import org.immutables.value.Value;

/**
 * The limits of one call to a store. A call that exceeds a limit fails with LIMIT_EXCEEDED before
 * it has any effect. All limits are inclusive; {@link #UNLIMITED} stands for no limit.
 *
 * <p>The numbers of Deno KV are those of Deno 2.9's native client ({@code deno/ext/kv/config.rs}),
 * which rejects larger ones before a server sees them; for messages, those of its local queue.
 *
 * @param maxKeyBytes the maximum length of an encoded key to write or check, in bytes. Deno: 2048.
 *     A key suffixed with a versionstamp is measured without the suffix of {@value
 *     #VERSIONSTAMP_SUFFIX_BYTES} bytes.
 * @param maxReadKeyBytes the maximum length of a bound of a range and of an encoded key to watch,
 *     in bytes; more than {@code maxKeyBytes}, because a range appends a byte to a key: a key to
 *     get may have one less. Deno: 2049
 * @param maxValueBytes the maximum length of an encoded value, in bytes. Deno: 65,536
 * @param maxKeysPerGetMany the maximum number of keys in one getMany. Deno: 10
 * @param maxBatchSize the maximum number of entries per page of a list. Deno: 1000
 * @param maxChecks the maximum number of checks in a commit. Deno: 100 (the self-hosted server: 10)
 * @param maxMutations the maximum number of mutations in a commit. Deno: 1000
 * @param maxCommitBytes the maximum bytes of keys and values in a commit; the keys of mutations
 *     with a value count twice. Deno: 819,200
 * @param maxCommitKeyBytes the maximum bytes of keys of mutations with a value in a commit; the
 *     keys of checks and deletes do not count. Deno: 81,920
 * @param maxWatchedKeys the maximum number of keys in one watch. Deno: 10
 * @param maxMessageBytes the maximum length of an encoded message of a queue, in bytes. Deno:
 *     65,536
 * @param maxDelaySeconds the maximum time from the enqueue of a message to its first delivery.
 *     Deno: 2,592,000, which is 30 days
 * @param maxBackoffSteps the maximum number of redeliveries of a message. Deno: 5
 * @param maxBackoffMillis the maximum wait before a redelivery. Deno: 3,600,000, which is an hour
 * @param maxUndeliveredKeys the maximum number of keys to which an undelivered message is written.
 *     Deno: unlimited (the self-hosted server: 10)
 * @param maxQueueNameBytes the maximum length of the name of a queue, in bytes of UTF-8. Deno: 0,
 *     its only queue has no name
 * @param maxRangeDeletions the maximum number of deletions of ranges in a commit. Deno has none
 * @param maxCommitWork the maximum work of a commit, as estimated before it is accepted: 1 for a
 *     set, a delete and a check of a key; 2 for a touch, a min, a max and a sum of a KvU64; 10 for
 *     a sum of a bigint or number; 100 for the deletion of a range; 4 for a message and for a check
 *     of a range; and 1 for each KiB of a mutation or message. A unit takes a few microseconds, in
 *     which no other commit is executed. Deno: no such limit; its others keep a commit far below
 */
@Value.Builder
public record KvLimits(
    int maxKeyBytes,
    int maxReadKeyBytes,
    int maxValueBytes,
    int maxKeysPerGetMany,
    int maxBatchSize,
    int maxChecks,
    int maxMutations,
    int maxCommitBytes,
    int maxCommitKeyBytes,
    int maxWatchedKeys,
    int maxMessageBytes,
    int maxDelaySeconds,
    int maxBackoffSteps,
    int maxBackoffMillis,
    int maxUndeliveredKeys,
    int maxQueueNameBytes,
    int maxRangeDeletions,
    int maxCommitWork)
    implements WithKvLimits {

  /** The value that stands for no limit. */
  public static final int UNLIMITED = Integer.MAX_VALUE;

  /** The bytes that a versionstamp adds to a key as its last part: 20 hex digits as a string. */
  public static final int VERSIONSTAMP_SUFFIX_BYTES = 22;

  private static final int MAX_DELAY_SECONDS = 30 * 86_400;
  private static final int MAX_RANGE_DELETIONS = 1000;
  private static final int MAX_COMMIT_WORK = 500_000;

  /** The limits of Deno's native client: a call within these limits is valid there too. */
  public static final KvLimits DENO =
      new KvLimitsBuilder()
          .maxKeyBytes(2048)
          .maxReadKeyBytes(2049)
          .maxValueBytes(65_536)
          .maxKeysPerGetMany(10)
          .maxBatchSize(1000)
          .maxChecks(100)
          .maxMutations(1000)
          .maxCommitBytes(819_200)
          .maxCommitKeyBytes(81_920)
          .maxWatchedKeys(10)
          .maxMessageBytes(65_536)
          .maxDelaySeconds(MAX_DELAY_SECONDS)
          .maxBackoffSteps(5)
          .maxBackoffMillis(3_600_000)
          .maxUndeliveredKeys(10)
          .maxQueueNameBytes(0)
          .maxRangeDeletions(MAX_RANGE_DELETIONS)
          .maxCommitWork(MAX_COMMIT_WORK)
          .build();

  /**
   * The default limits of an embedded store: keys as in Deno, since they order the store's pages
   * (suffixed ones can be read here); values to 8 MiB; 100,000 checks and mutations and 64 MiB in a
   * commit, which is held in memory as a whole; any number of keys in a getMany, which is read in
   * pages; messages to 8 MiB, with a delay of at most 30 days and 1000 redeliveries at most a day
   * apart; 1000 deletions of ranges and 500,000 units of work in a commit, which is about a second
   * at most.
   */
  public static final KvLimits DEFAULT =
      new KvLimitsBuilder()
          .maxKeyBytes(2048)
          .maxReadKeyBytes(readKeyBytesFor(2048))
          .maxValueBytes(8 << 20)
          .maxKeysPerGetMany(UNLIMITED)
          .maxBatchSize(10_000)
          .maxChecks(100_000)
          .maxMutations(100_000)
          .maxCommitBytes(64 << 20)
          .maxCommitKeyBytes(64 << 20)
          .maxWatchedKeys(1000)
          .maxMessageBytes(8 << 20)
          .maxDelaySeconds(MAX_DELAY_SECONDS)
          .maxBackoffSteps(1000)
          .maxBackoffMillis(86_400_000)
          .maxUndeliveredKeys(1000)
          .maxQueueNameBytes(512)
          .maxRangeDeletions(MAX_RANGE_DELETIONS)
          .maxCommitWork(MAX_COMMIT_WORK)
          .build();

  /**
   * Checks the limits.
   *
   * @throws KvException INVALID_ARGUMENT for a limit below 1, and for a {@code maxReadKeyBytes} not
   *     above {@code maxKeyBytes}
   */
  public KvLimits {
    ArgumentChecks.atLeast("maxKeyBytes", maxKeyBytes, 1);
    ArgumentChecks.atLeast(
        "maxReadKeyBytes", maxReadKeyBytes, Math.min(maxKeyBytes, UNLIMITED - 1) + 1);
    ArgumentChecks.atLeast("maxValueBytes", maxValueBytes, 1);
    ArgumentChecks.atLeast("maxKeysPerGetMany", maxKeysPerGetMany, 1);
    ArgumentChecks.atLeast("maxBatchSize", maxBatchSize, 1);
    ArgumentChecks.atLeast("maxChecks", maxChecks, 1);
    ArgumentChecks.atLeast("maxMutations", maxMutations, 1);
    ArgumentChecks.atLeast("maxCommitBytes", maxCommitBytes, 1);
    ArgumentChecks.atLeast("maxCommitKeyBytes", maxCommitKeyBytes, 1);
    ArgumentChecks.atLeast("maxWatchedKeys", maxWatchedKeys, 1);
    ArgumentChecks.atLeast("maxMessageBytes", maxMessageBytes, 1);
    ArgumentChecks.atLeast("maxDelaySeconds", maxDelaySeconds, 0);
    ArgumentChecks.atLeast("maxBackoffSteps", maxBackoffSteps, 0);
    ArgumentChecks.atLeast("maxBackoffMillis", maxBackoffMillis, 0);
    ArgumentChecks.atLeast("maxUndeliveredKeys", maxUndeliveredKeys, 0);
    ArgumentChecks.atLeast("maxQueueNameBytes", maxQueueNameBytes, 0);
    ArgumentChecks.atLeast("maxRangeDeletions", maxRangeDeletions, 0);
    ArgumentChecks.atLeast("maxCommitWork", maxCommitWork, 1);
  }

  /** Returns the length of a suffixed key with the byte that a range appends to it. */
  private static int readKeyBytesFor(int keyBytes) {
    return (int) Math.min(UNLIMITED, keyBytes + 1L + VERSIONSTAMP_SUFFIX_BYTES);
  }

  /**
   * Returns these limits with another {@code maxKeyBytes}, and {@code maxReadKeyBytes} raised
   * accordingly.
   */
  @Override
  public KvLimits withMaxKeyBytes(int value) {
    return new KvLimitsBuilder()
        .from(this)
        .maxKeyBytes(value)
        .maxReadKeyBytes(Math.max(maxReadKeyBytes, readKeyBytesFor(value)))
        .build();
  }

  // ---- for engines

  /**
   * Checks ranges to read.
   *
   * @throws KvException LIMIT_EXCEEDED, or INVALID_ARGUMENT for a limit of a range below 1
   */
  public void checkRead(List<ReadRange> ranges) {
    new LimitChecks(this).read(ranges);
  }

  /**
   * Checks keys to watch.
   *
   * @throws KvException LIMIT_EXCEEDED
   */
  public void checkWatch(List<byte[]> keys) {
    new LimitChecks(this).watch(keys);
  }

  /**
   * Checks a commit.
   *
   * @param now the time of the store, milliseconds since 1970
   * @throws KvException LIMIT_EXCEEDED, INVALID_KEY, INVALID_ARGUMENT
   */
  public void checkCommit(Commit commit, long now) {
    var unused = new LimitChecks(this).commit(commit, now);
  }
}
