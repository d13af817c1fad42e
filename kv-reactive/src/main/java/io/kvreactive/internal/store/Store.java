package io.kvreactive.internal.store;

import io.kvreactive.CommitResult;
import io.kvreactive.KvException;
import io.kvreactive.LatencySummary;
import io.kvreactive.SteadyClock;
import io.kvreactive.internal.store.file.DirectoryLock;
import io.kvreactive.internal.store.image.SortedImage;
import io.kvreactive.internal.store.log.AppliedMutation;
import io.kvreactive.internal.store.log.CommitLog;
import io.kvreactive.internal.store.log.CommitRecord;
import io.kvreactive.internal.store.memtable.ExpiryKey;
import io.kvreactive.internal.store.memtable.Memtable;
import io.kvreactive.spi.Commit;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One store: stages commits, writes them to the log as a batch, publishes them. One thread stages
 * and publishes; {@link #snapshot} may be called from any thread; {@link #writeImage} runs on the
 * image thread; {@link #syncLog} is thread-safe.
 *
 * <p>What is staged is in {@link CommitBatch}, what is published and not in the image in {@link
 * MemtableSet}, the files are {@link StoreLog}'s and {@link StoreImage}'s. Here is what they have
 * to do with each other: when a batch is seen, when a memtable is frozen and when it is forgotten.
 */
public final class Store {
  private static final int MAX_RANGE_DELETIONS = 32;

  private final StoreOptions options;
  private final @Nullable DirectoryLock lock;
  private final UUID history;
  private final StoreHealth health = new StoreHealth();
  private final StoreLog log;
  private final StoreImage image;
  private final MemtableSet memtables;
  private final SteadyClock clock;
  private final RecentCommits recent;
  private final CommitBatch batch;

  private long lastCommitMillis; // 0: not known
  private long earliestExpiryWritten = Long.MAX_VALUE;

  /**
   * What {@link StoreOpener} has opened.
   *
   * @param history the id of the store's history
   * @param version the last one in the log
   * @param next the version of the next commit
   * @param replayedBytes of the log, which the image lacks
   */
  Store(
      StoreOptions options,
      @Nullable DirectoryLock lock,
      @Nullable CommitLog log,
      SortedImage image,
      MemtableSet memtables,
      SteadyClock clock,
      UUID history,
      long version,
      long next,
      long replayedBytes,
      long lastCommitMillis) {
    this.options = options;
    this.lock = lock;
    this.history = history;
    this.log = new StoreLog(options, log, version, image.version(), replayedBytes, health, clock);
    this.image = new StoreImage(options, image, this.log, memtables, health, clock::millis);
    this.memtables = memtables;
    this.clock = clock;
    this.recent = new RecentCommits(version, options.recentBytes());
    this.batch = new CommitBatch(options, this.log, memtables, recent, health, clock, next);
    this.lastCommitMillis = lastCommitMillis;
  }

  /**
   * Opens or creates a store; reads the log back. Blocks. {@link #start} comes next.
   *
   * @param writeImage asked for when {@link #writeImage} should be called, on another thread
   * @throws KvException LOCKED, CORRUPT, DISK_FULL, IO_FAILED
   */
  public static Store open(StoreOptions options, Runnable writeImage) {
    Path directory = options.directory();
    return directory == null
        ? StoreOpener.inMemory(options, writeImage)
        : StoreOpener.at(directory, options, writeImage);
  }

  /**
   * Goes on with what the last process left undone. Once, when {@code writeImage} may be called.
   */
  public void start() {
    memtables.writeFrozenIfUnneeded();
  }

  /**
   * Evaluates a commit and adds it to the batch. What it answers counts only after {@link
   * #publish}.
   *
   * @throws KvException when the commit cannot be applied; it has had no effect
   */
  public CommitResult stage(Commit commit) {
    return batch.stage(commit);
  }

  /**
   * Adds a commit of the store's own to the batch.
   *
   * @param evaluation what it comes to in the newest state, at its version; none at all when empty
   */
  public void stage(BiFunction<StoreView, Long, List<AppliedMutation>> evaluation) {
    batch.stage(evaluation);
  }

  /**
   * Adds changes of queues to the batch.
   *
   * @param change makes them, in the newest state
   */
  public void stageQueues(Consumer<QueueMutations> change) {
    stage(
        (state, version) ->
            CommitEvaluator.queueEffects(state, version, options.oldValues(), change));
  }

  /**
   * Finds what has expired. On any thread.
   *
   * @param held a snapshot that stays held until what was found has been staged
   * @param imageAfter where to start in the image's index; empty for the start
   * @param limit most entries from each index
   */
  public ExpiryScan scanExpired(StoreSnapshot held, byte[] imageAfter, int limit) {
    try {
      StoreView view = held.enter();
      long now = Math.min(view.now(), clock.confirmedMillis());
      return ExpiryScan.of(view.at(now), imageAfter, limit, options.oldValues());
    } finally {
      held.leave();
    }
  }

  /**
   * Adds the deletion of what has expired to the batch.
   *
   * @param held what the scan was made under: only while that is held is everything in memory that
   *     came after it
   * @param from the first of what was found to look at
   * @return the first that is left for another commit
   * @throws KvException SNAPSHOT_TOO_OLD when it is not held any more; nothing is added then
   */
  public int stageExpired(StoreSnapshot held, ExpiryScan scan, int from) {
    return batch.stageExpired(held, scan, from);
  }

  /**
   * Returns true if a memtable waits for the image and the next has grown large. Must be called on
   * the staging thread.
   */
  public boolean isImageBehind() {
    StoreView latest = batch.latest();
    return latest.frozen() != null
        && memtables.frozen() != null
        && latest.active().bytes() >= options.memtableBytes() / 2;
  }

  /** Lets the indexes in memory forget what has been dealt with. On the thread that stages. */
  public void sweptExpired(List<byte[]> entries) {
    StoreView latest = batch.latest();
    Memtable frozen = latest.frozen();
    for (byte[] entry : entries) {
      if (latest.expireAt(ExpiryKey.key(entry)) != ExpiryKey.expireAt(entry)) {
        latest.active().expiry().remove(entry);
        if (frozen != null) {
          frozen.expiry().remove(entry);
        }
      }
    }
  }

  /** Returns the version of the last commit of the batch, or of the last published one. */
  long lastStaged() {
    return batch.last();
  }

  /** Bytes of the batch so far. */
  public int stagedBytes() {
    return log.pendingBytes();
  }

  /**
   * Makes the batch durable and visible.
   *
   * @return what the batch changed, in order
   * @throws KvException DISK_FULL when nothing of the batch has happened; IO_FAILED when that is
   *     unknown, and the store takes no more commits
   */
  public List<CommitRecord> publish() {
    if (batch.isEmpty()) {
      return List.of();
    }
    health.checkNotFailed();
    long millis = clock.millis();
    write(millis);
    List<CommitRecord> published = batch.committed(millis);
    recent.add(published);
    memtables.publish(batch.last());
    lastCommitMillis = millis;
    batch.published();
    freezeWhenLarge();
    return published;
  }

  private void write(long millis) {
    try {
      log.append(batch.first(), batch.last(), millis);
    } catch (IOException e) {
      batch.rollback(memtables.visible());
      throw log.appendFailed(e);
    }
  }

  private void freezeWhenLarge() {
    if (health.failure() != null || !batch.isEmpty()) {
      return; // what was not published must not come to the image
    }
    Memtable active = batch.latest().active();
    boolean large =
        active.bytes() >= options.memtableBytes()
            || log.isLongSinceFreeze()
            || active.deletions().size() >= MAX_RANGE_DELETIONS;
    if (large && memtables.frozen() == null) {
      log.memtableRotated();
      memtables.rotate();
      batch.lookAgain();
    } else if (memoryFull()) {
      memtables.endOldSnapshots();
    }
  }

  /**
   * Returns true if memory is full because the image falls behind: the caller should not stage
   * until {@link #imageWritten} has been called.
   *
   * @throws KvException when the image cannot be written: DISK_FULL until there is room again
   */
  public boolean isFull() {
    health.checkNotFailed();
    boolean isFull = memoryFull();
    KvException trouble = health.imageTrouble();
    if (isFull && trouble != null) {
      log.makeRoom(trouble);
      throw trouble;
    }
    return isFull;
  }

  private boolean memoryFull() {
    return batch.latest().active().bytes() >= 2 * options.memtableBytes()
        && memtables.frozen() != null;
  }

  /** Returns the newest commits. Thread-safe. */
  public RecentCommits recent() {
    return recent;
  }

  /** Returns the store's time, milliseconds since 1970; never goes backwards. Thread-safe. */
  public long now() {
    return clock.millis();
  }

  /** Returns the time that log and image had reached when the store was opened; 0 for none. */
  long recovered() {
    return clock.least();
  }

  /**
   * Returns the time by which something may be deleted for good. See {@link
   * SteadyClock#confirmedMillis}.
   */
  public long confirmedNow() {
    return clock.confirmedMillis();
  }

  /** Holds the newest published state. Thread-safe. */
  public StoreSnapshot snapshot() {
    return memtables.snapshot();
  }

  /**
   * Writes the frozen memtable to the image. Blocks for as long as that takes; on a thread of its
   * own.
   *
   * @return true if it is done; if not, call again later, or never when the store is being closed
   */
  public boolean writeImage() {
    return image.write();
  }

  /**
   * Returns the earliest expiry that the last call of {@link #imageWritten} brought to the image's
   * index; Long.MAX_VALUE when none. On the thread that stages.
   */
  public long earliestExpiryWritten() {
    return earliestExpiryWritten;
  }

  /** Drops what the image now holds. On the thread that stages, after {@link #writeImage}. */
  public void imageWritten() {
    if (memtables.frozen() == null) {
      return;
    }
    earliestExpiryWritten = image.current().takeEarliestExpiry();
    memtables.release();
    batch.lookAgain();
    log.imageWritten(image.current().version());
    freezeWhenLarge();
  }

  /** Drops what is kept of the log for nobody any more. On the thread that stages. */
  public void dropOldLog() {
    log.dropOld();
  }

  /** Returns the newest version that readers see. Thread-safe. */
  public long visible() {
    return memtables.visible();
  }

  /** Returns the newest version that readers see and no crash takes back. Thread-safe. */
  public long horizon() {
    return log.horizon(visible());
  }

  /**
   * Keeps every commit from a version on in the log, until what this returns is closed.
   * Thread-safe.
   *
   * @throws KvException COMPACTED when it has been dropped
   */
  public AutoCloseable pinLog(long version) {
    return log.pin(version);
  }

  /** Returns the id that the store's files share; null without files. Thread-safe. */
  public @Nullable UUID id() throws IOException {
    Path directory = options.directory();
    return directory == null ? null : StoreIdentity.find(directory);
  }

  /** Returns the id of the store's history; see {@link StoreIdentity}. Thread-safe. */
  public UUID history() {
    return history;
  }

  /**
   * Returns true if a version may have been given out by a history that this store does not go on
   * with: it was lost in a crash, or the store was restored or cut before it. Thread-safe.
   */
  public boolean isLost(long version) {
    CommitLog commits = log.commits();
    return commits != null && commits.isLost(version);
  }

  /** Returns the version of the next commit. Must be called on the staging thread. */
  public long next() {
    return batch.last() + 1;
  }

  /** Reads the published commits after a version. Thread-safe. */
  public ChangeCursor changes(long since) {
    return new ChangeCursor(this, recent, log.commits(), since);
  }

  /**
   * Starts to build the image anew. On the thread that writes the image, as all of this.
   *
   * @return null for a store without files
   */
  public @Nullable Compaction compaction() throws IOException {
    return image.compaction();
  }

  /**
   * Puts the new image in the old one's place, for good. {@link #imageReplaced} comes next.
   *
   * @param compaction one whose last step has just said that it is done
   * @throws IOException when the old one's files could not be deleted; the next open does it
   */
  public void replaceImage(Compaction compaction) throws IOException {
    image.replace(compaction);
  }

  /** Lets the thread that stages see the new image; on that thread. */
  public void imageReplaced() {
    batch.lookAgain();
  }

  /** Gives up a new image. */
  public void abandon(Compaction compaction) throws IOException {
    compaction.abandon();
  }

  /** Returns true if so much has been removed that the image is mostly empty pages. */
  public boolean isWorthCompacting() {
    return image.isWorthCompacting();
  }

  /** Bytes of the image's files. */
  public long imageBytes() throws IOException {
    return image.bytes();
  }

  /**
   * Makes everything published durable. Thread-safe.
   *
   * @throws KvException IO_FAILED, and the store takes no more commits
   */
  public void syncLog() {
    log.sync(memtables.visible());
  }

  /**
   * Returns how it is doing. If the log could not be written a while ago, tries again first: so the
   * store is reported as well again without a commit that is refused. Must be called on the staging
   * thread.
   */
  public StoreStats stats() {
    log.tryAgain();
    MemtableSet.Held held = memtables.held();
    Memtable frozen = memtables.frozen();
    return new StoreStats(
        visible(),
        horizon(),
        lastCommitMillis,
        health.trouble(),
        image.current().bytes(),
        log.bytes(),
        log.segmentCount(),
        batch.latest().active().bytes() + (frozen == null ? 0 : frozen.bytes()),
        held.count(),
        held.count() == 0 ? 0 : Math.max(0, now() - held.oldestMillis()),
        held.lag(),
        clock.state());
  }

  /** How long the log's syncs took. Thread-safe. */
  public LatencySummary syncs() {
    return log.syncs();
  }

  /** About how many keys there are, the store's own and expired ones included. On a reader. */
  public long estimateKeys() {
    try (StoreSnapshot newest = snapshot()) {
      try {
        return KeyCountEstimate.of(newest.enter());
      } finally {
        newest.leave();
      }
    }
  }

  /** What has left memory. Its records are looked up on the thread that writes it. */
  public SortedImage image() {
    return image.current();
  }

  /** Returns the log, or null for a store in memory. */
  public @Nullable CommitLog log() {
    return log.commits();
  }

  /** Returns the failure after which the store takes no more commits; null while there is none. */
  public @Nullable KvException failure() {
    return health.failure();
  }

  /** Takes no more commits from here on. */
  public void fail(KvException cause) {
    health.fail(cause);
  }

  /** Makes a running {@link #writeImage} return soon. Thread-safe. */
  public void stopWritingImage() {
    image.stopWriting();
  }

  /** Closes the files; nothing else may be running. What the image lacks is in the log. */
  public void close() throws IOException {
    try (lock;
        image;
        log) {
      if (health.failure() == null) {
        syncLog();
        log.finish();
      }
    }
  }
}
