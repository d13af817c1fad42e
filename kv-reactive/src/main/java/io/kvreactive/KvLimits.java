package io.kvreactive;

import io.kvreactive.internal.engine.LimitChecks;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.ReadRange;
import java.util.List;
import java.util.function.Consumer;

/**
 * The limits of one call to a store. A call that exceeds a limit fails with LIMIT_EXCEEDED before
 * it has any effect. All limits are inclusive; {@link #UNLIMITED} stands for none.
 *
 * <p>The numbers of Deno KV are those of Deno 2.9's native client ({@code deno/ext/kv/config.rs}),
 * which refuses what is beyond them before a server sees it; for messages, those of its local
 * queue.
 *
 * @param maxKeyBytes longest encoded key to write or check, in bytes. Deno: 2048. A key suffixed
 *     with a versionstamp is measured without the suffix of {@value #VERSIONSTAMP_SUFFIX_BYTES}
 *     bytes.
 * @param maxReadKeyBytes longest bound of a range and longest encoded key to watch, in bytes; more
 *     than {@code maxKeyBytes}, because a range puts a byte after a key: a key to get may have one
 *     less. Deno: 2049
 * @param maxValueBytes longest encoded value, in bytes. Deno: 65,536
 * @param maxKeysPerGetMany most keys in one getMany. Deno: 10
 * @param maxBatchSize most entries that a list fetches at a time. Deno: 1000
 * @param maxChecks most checks in a commit. Deno: 100 (the self-hosted server: 10)
 * @param maxMutations most mutations in a commit. Deno: 1000
 * @param maxCommitBytes most bytes of keys and values in a commit; the keys of mutations with a
 *     value count twice. Deno: 819,200
 * @param maxCommitKeyBytes most bytes of keys of mutations with a value in a commit; the keys of
 *     checks and deletes do not count. Deno: 81,920
 * @param maxWatchedKeys most keys in one watch. Deno: 10
 * @param maxMessageBytes longest encoded message of a queue, in bytes. Deno: 65,536
 * @param maxDelaySeconds longest time from when a message is enqueued to its first delivery. Deno:
 *     2,592,000, which is 30 days
 * @param maxBackoffSteps most redeliveries of a message. Deno: 5
 * @param maxBackoffMillis longest wait before a redelivery. Deno: 3,600,000, which is an hour
 * @param maxUndeliveredKeys most keys that take a message which cannot be delivered. Deno: any
 *     number (the self-hosted server: 10)
 * @param maxQueueNameBytes longest name of a queue, in bytes of UTF-8. Deno: 0, its only queue has
 *     no name
 * @param maxRangeDeletions most deletions of ranges in a commit. Deno has none
 * @param maxCommitWork most work of a commit, as estimated before it is accepted: 1 for a set, a
 *     delete and a check of a key; 2 for a touch, a min, a max and a sum of a KvU64; 10 for a sum
 *     of a bigint or number; 100 for the deletion of a range; 4 for a message and for a check of a
 *     range; and 1 for each KiB of a mutation or message. A unit takes a few microseconds, and no
 *     other commit happens meanwhile. Deno: no such limit; its others keep a commit far below
 */
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
    int maxCommitWork) {

  /** The value that stands for no limit. */
  public static final int UNLIMITED = Integer.MAX_VALUE;

  /** The bytes that a versionstamp adds to a key as its last part: 20 hex digits as a string. */
  public static final int VERSIONSTAMP_SUFFIX_BYTES = 22;

  private static final int MAX_DELAY_SECONDS = 30 * 86_400;
  private static final int MAX_RANGE_DELETIONS = 1000;
  private static final int MAX_COMMIT_WORK = 500_000;

  /** The limits of Deno's native client: whatever passes here passes there. */
  public static final KvLimits DENO =
      new KvLimits(
          2048,
          2049,
          65_536,
          10,
          1000,
          100,
          1000,
          819_200,
          81_920,
          10,
          65_536,
          MAX_DELAY_SECONDS,
          5,
          3_600_000,
          10,
          0,
          MAX_RANGE_DELETIONS,
          MAX_COMMIT_WORK);

  /**
   * The default limits of an embedded store: keys as in Deno, since they order the store's pages
   * (suffixed ones can be read here); values to 8 MiB; 100,000 checks and mutations and 64 MiB in a
   * commit, which is held in memory whole; any number of keys in a getMany, which is read in pages;
   * messages to 8 MiB, with a delay to 30 days and 1000 redeliveries to a day apart; 1000 deletions
   * of ranges and 500,000 units of work in a commit, which is about a second at most.
   */
  public static final KvLimits DEFAULT =
      new KvLimits(
          2048,
          readKeyBytesFor(2048),
          8 << 20,
          UNLIMITED,
          10_000,
          100_000,
          100_000,
          64 << 20,
          64 << 20,
          1000,
          8 << 20,
          MAX_DELAY_SECONDS,
          1000,
          86_400_000,
          1000,
          512,
          MAX_RANGE_DELETIONS,
          MAX_COMMIT_WORK);

  /**
   * @throws KvException INVALID_ARGUMENT for a limit below 1, and for a {@code maxReadKeyBytes} not
   *     above {@code maxKeyBytes}
   */
  public KvLimits {
    atLeast(1, "maxKeyBytes", maxKeyBytes);
    atLeast(Math.min(maxKeyBytes, UNLIMITED - 1) + 1, "maxReadKeyBytes", maxReadKeyBytes);
    atLeast(1, "maxValueBytes", maxValueBytes);
    atLeast(1, "maxKeysPerGetMany", maxKeysPerGetMany);
    atLeast(1, "maxBatchSize", maxBatchSize);
    atLeast(1, "maxChecks", maxChecks);
    atLeast(1, "maxMutations", maxMutations);
    atLeast(1, "maxCommitBytes", maxCommitBytes);
    atLeast(1, "maxCommitKeyBytes", maxCommitKeyBytes);
    atLeast(1, "maxWatchedKeys", maxWatchedKeys);
    atLeast(1, "maxMessageBytes", maxMessageBytes);
    atLeast(0, "maxDelaySeconds", maxDelaySeconds);
    atLeast(0, "maxBackoffSteps", maxBackoffSteps);
    atLeast(0, "maxBackoffMillis", maxBackoffMillis);
    atLeast(0, "maxUndeliveredKeys", maxUndeliveredKeys);
    atLeast(0, "maxQueueNameBytes", maxQueueNameBytes);
    atLeast(0, "maxRangeDeletions", maxRangeDeletions);
    atLeast(1, "maxCommitWork", maxCommitWork);
  }

  private static void atLeast(int least, String name, int value) {
    if (value < least) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          name + ": " + value + " (expected: at least " + least + ")");
    }
  }

  /** Returns the room for a suffixed key and the byte that a range appends to it. */
  private static int readKeyBytesFor(int keyBytes) {
    return (int) Math.min(UNLIMITED, keyBytes + 1L + VERSIONSTAMP_SUFFIX_BYTES);
  }

  /**
   * Returns these limits with another {@code maxKeyBytes}, and {@code maxReadKeyBytes} raised to go
   * with it.
   */
  public KvLimits withMaxKeyBytes(int value) {
    return with(
        copy -> {
          copy.maxKeyBytes = value;
          copy.maxReadKeyBytes = Math.max(maxReadKeyBytes, readKeyBytesFor(value));
        });
  }

  /** Returns these limits with another {@code maxReadKeyBytes}. */
  public KvLimits withMaxReadKeyBytes(int value) {
    return with(copy -> copy.maxReadKeyBytes = value);
  }

  /** Returns these limits with another {@code maxValueBytes}. */
  public KvLimits withMaxValueBytes(int value) {
    return with(copy -> copy.maxValueBytes = value);
  }

  /** Returns these limits with another {@code maxKeysPerGetMany}. */
  public KvLimits withMaxKeysPerGetMany(int value) {
    return with(copy -> copy.maxKeysPerGetMany = value);
  }

  /** Returns these limits with another {@code maxBatchSize}. */
  public KvLimits withMaxBatchSize(int value) {
    return with(copy -> copy.maxBatchSize = value);
  }

  /** Returns these limits with another {@code maxChecks}. */
  public KvLimits withMaxChecks(int value) {
    return with(copy -> copy.maxChecks = value);
  }

  /** Returns these limits with another {@code maxMutations}. */
  public KvLimits withMaxMutations(int value) {
    return with(copy -> copy.maxMutations = value);
  }

  /** Returns these limits with another {@code maxCommitBytes}. */
  public KvLimits withMaxCommitBytes(int value) {
    return with(copy -> copy.maxCommitBytes = value);
  }

  /** Returns these limits with another {@code maxCommitKeyBytes}. */
  public KvLimits withMaxCommitKeyBytes(int value) {
    return with(copy -> copy.maxCommitKeyBytes = value);
  }

  /** Returns these limits with another {@code maxWatchedKeys}. */
  public KvLimits withMaxWatchedKeys(int value) {
    return with(copy -> copy.maxWatchedKeys = value);
  }

  /** Returns these limits with another {@code maxMessageBytes}. */
  public KvLimits withMaxMessageBytes(int value) {
    return with(copy -> copy.maxMessageBytes = value);
  }

  /** Returns these limits with another {@code maxDelaySeconds}. */
  public KvLimits withMaxDelaySeconds(int value) {
    return with(copy -> copy.maxDelaySeconds = value);
  }

  /** Returns these limits with another {@code maxBackoffSteps}. */
  public KvLimits withMaxBackoffSteps(int value) {
    return with(copy -> copy.maxBackoffSteps = value);
  }

  /** Returns these limits with another {@code maxBackoffMillis}. */
  public KvLimits withMaxBackoffMillis(int value) {
    return with(copy -> copy.maxBackoffMillis = value);
  }

  /** Returns these limits with another {@code maxUndeliveredKeys}. */
  public KvLimits withMaxUndeliveredKeys(int value) {
    return with(copy -> copy.maxUndeliveredKeys = value);
  }

  /** Returns these limits with another {@code maxQueueNameBytes}. */
  public KvLimits withMaxQueueNameBytes(int value) {
    return with(copy -> copy.maxQueueNameBytes = value);
  }

  /** Returns these limits with another {@code maxRangeDeletions}. */
  public KvLimits withMaxRangeDeletions(int value) {
    return with(copy -> copy.maxRangeDeletions = value);
  }

  /** Returns these limits with another {@code maxCommitWork}. */
  public KvLimits withMaxCommitWork(int value) {
    return with(copy -> copy.maxCommitWork = value);
  }

  private KvLimits with(Consumer<Copy> change) {
    Copy copy = new Copy(this);
    change.accept(copy);
    return copy.toLimits();
  }

  /** A mutable copy of the components. */
  private static final class Copy {
    private int maxKeyBytes;
    private int maxReadKeyBytes;
    private int maxValueBytes;
    private int maxKeysPerGetMany;
    private int maxBatchSize;
    private int maxChecks;
    private int maxMutations;
    private int maxCommitBytes;
    private int maxCommitKeyBytes;
    private int maxWatchedKeys;
    private int maxMessageBytes;
    private int maxDelaySeconds;
    private int maxBackoffSteps;
    private int maxBackoffMillis;
    private int maxUndeliveredKeys;
    private int maxQueueNameBytes;
    private int maxRangeDeletions;
    private int maxCommitWork;

    Copy(KvLimits limits) {
      maxKeyBytes = limits.maxKeyBytes;
      maxReadKeyBytes = limits.maxReadKeyBytes;
      maxValueBytes = limits.maxValueBytes;
      maxKeysPerGetMany = limits.maxKeysPerGetMany;
      maxBatchSize = limits.maxBatchSize;
      maxChecks = limits.maxChecks;
      maxMutations = limits.maxMutations;
      maxCommitBytes = limits.maxCommitBytes;
      maxCommitKeyBytes = limits.maxCommitKeyBytes;
      maxWatchedKeys = limits.maxWatchedKeys;
      maxMessageBytes = limits.maxMessageBytes;
      maxDelaySeconds = limits.maxDelaySeconds;
      maxBackoffSteps = limits.maxBackoffSteps;
      maxBackoffMillis = limits.maxBackoffMillis;
      maxUndeliveredKeys = limits.maxUndeliveredKeys;
      maxQueueNameBytes = limits.maxQueueNameBytes;
      maxRangeDeletions = limits.maxRangeDeletions;
      maxCommitWork = limits.maxCommitWork;
    }

    KvLimits toLimits() {
      return new KvLimits(
          maxKeyBytes,
          maxReadKeyBytes,
          maxValueBytes,
          maxKeysPerGetMany,
          maxBatchSize,
          maxChecks,
          maxMutations,
          maxCommitBytes,
          maxCommitKeyBytes,
          maxWatchedKeys,
          maxMessageBytes,
          maxDelaySeconds,
          maxBackoffSteps,
          maxBackoffMillis,
          maxUndeliveredKeys,
          maxQueueNameBytes,
          maxRangeDeletions,
          maxCommitWork);
    }
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
