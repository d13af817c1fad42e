package io.kvreactive.internal.store;

import io.kvreactive.CommitResult;
import io.kvreactive.KvException;
import io.kvreactive.internal.shared.SteadyClock;
import io.kvreactive.internal.store.file.DirectoryLock;
import io.kvreactive.internal.store.image.SortedImage;
import io.kvreactive.internal.store.log.CommitLog;
import io.kvreactive.internal.store.log.CommitRecord;
import io.kvreactive.internal.store.memtable.ExpiryKey;
import io.kvreactive.internal.store.memtable.Memtable;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.StoredChange;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One store: stages commits, writes them to the log as a batch, publishes them. One thread stages
 * and publishes; {@link #snapshot} may be called from any thread; {@link StoreImage#write} runs on
 * the image thread; {@link #syncLog} is thread-safe.
 *
 * <p>{@link CommitBatch} has the staged commits, {@link MemtableSet} the published ones that the
 * image lacks, {@link StoreLog} and {@link StoreImage} the files. This class coordinates them: when
 * a batch becomes visible, when a memtable is frozen, and when it is released.
 */
public final class Store {
  private static final Logger LOG = LoggerFactory.getLogger(Store.class);
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

  private long lastCommitMillis; // 0 if unknown
  private long earliestExpiryWritten = Long.MAX_VALUE;

  /**
   * Creates a store from its parts, which {@link StoreOpener} has opened.
   *
   * @param history the id of the store's history
   * @param version the last version in the log
   * @param next the version of the next commit
   * @param replayedBytes the bytes of the log that the image lacks
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
   * Opens or creates a store and replays its log. Blocks. {@link #start} must be called next.
   *
   * @param writeImage called when {@link StoreImage#write} should be called, on another thread
   * @throws KvException LOCKED, CORRUPT, DISK_FULL, IO_FAILED
   */
  public static Store open(StoreOptions options, Runnable writeImage) {
    Path directory = options.directory();
    return directory == null
        ? StoreOpener.inMemory(options, writeImage)
        : StoreOpener.at(directory, options, writeImage);
  }

  /**
   * Continues the writing of the image that the last process left unfinished. Must be called once,
   * when {@code writeImage} may be called.
   */
  public void start() {
    memtables.writeFrozenIfUnneeded();
  }

  /**
   * Evaluates a commit and adds it to the batch. The result is valid only after {@link #publish}.
   *
   * @throws KvException if the commit cannot be applied; it has had no effect
   */
  public CommitResult stage(Commit commit) {
    return batch.stage(commit);
  }

  /**
   * Adds an internal commit of the store to the batch.
   *
   * @param evaluation returns the effects in the newest state, at its version; if empty, there is
   *     no commit
   */
  public void stage(BiFunction<StoreView, Long, List<StoredChange>> evaluation) {
    batch.stage(evaluation);
  }

  /**
   * Adds changes of queues to the batch.
   *
   * @param change makes the changes in the newest state
   */
  public void stageQueues(Consumer<QueueMutations> change) {
    stage((state, version) -> CommitEvaluator.queueEffects(state, options.oldValues(), change));
  }

  /**
   * Finds expired entries. Any thread.
   *
   * @param held a snapshot that stays held until the entries found have been staged
   * @param imageAfter the entry of the image's index after which the scan starts; empty for the
   *     start
   * @param limit the maximum number of entries from each index
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
   * Adds the deletion of expired entries to the batch.
   *
   * @param held the snapshot of the scan: only while it is held are all later commits in memory
   * @param from the index of the first entry of the scan
   * @return the index of the first entry that is left for another commit
   * @throws KvException SNAPSHOT_TOO_OLD if the snapshot is not held any more; nothing is added
   *     then
   */
  public int stageExpired(StoreSnapshot held, ExpiryScan scan, int from) {
    return batch.stageExpired(held, scan, from);
  }

  /**
   * Returns true if a frozen memtable is still being written and the active one exceeds half its
   * limit. Must be called on the store thread.
   */
  public boolean isImageBehind() {
    StoreView latest = batch.latest();
    return latest.frozen() != null
        && memtables.frozen() != null
        && latest.active().bytes() >= options.memtableBytes() / 2;
  }

  /**
   * Removes processed entries from the expiry indexes in memory. Must be called on the store
   * thread.
   */
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

  /** Returns the bytes of the batch so far. */
  public int stagedBytes() {
    return log.pendingBytes();
  }

  /**
   * Writes the batch to the log, syncs the log if the durability is SYNC, and makes the batch
   * visible.
   *
   * @return the commits of the batch with their effects, in order
   * @throws KvException DISK_FULL if nothing of the batch has taken effect; IO_FAILED if that is
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
      return; // unpublished commits must not be written to the image
    }
    Memtable active = batch.latest().active();
    boolean large =
        active.bytes() >= options.memtableBytes()
            || log.isLongSinceFreeze()
            || active.deletions().size() >= MAX_RANGE_DELETIONS;
    if (large && memtables.frozen() == null) {
      log.memtableRotated();
      memtables.rotate();
      batch.refreshView();
    } else if (memoryFull()) {
      memtables.endOldSnapshots();
    }
  }

  /**
   * Returns true if memory is full because the image falls behind: the caller should not stage
   * until {@link #imageWritten} has been called.
   *
   * @throws KvException if the image cannot be written: DISK_FULL until there is space again
   */
  public boolean isFull() {
    health.checkNotFailed();
    boolean isFull = memoryFull();
    KvException imageError = health.imageError();
    if (isFull && imageError != null) {
      log.dropRetainedIfDiskFull(imageError);
      throw imageError;
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

  /** Returns the clock of the store. Thread-safe. */
  public SteadyClock clock() {
    return clock;
  }

  /** Returns the errors that keep the store from taking commits. */
  public StoreHealth health() {
    return health;
  }

  /** Returns the log. Must be used on the store thread, except for its thread-safe methods. */
  public StoreLog log() {
    return log;
  }

  /** Returns the image. Must be used on the image thread, except for its thread-safe methods. */
  public StoreImage image() {
    return image;
  }

  /** Returns a snapshot of the newest published state. Thread-safe. */
  public StoreSnapshot snapshot() {
    return memtables.snapshot();
  }

  /**
   * Returns the earliest expiry that the last call of {@link #imageWritten} added to the image's
   * index; Long.MAX_VALUE if none. Must be called on the store thread.
   */
  public long earliestExpiryWritten() {
    return earliestExpiryWritten;
  }

  /**
   * Releases the frozen memtable, which the image now has. Must be called on the store thread,
   * after {@link StoreImage#write}.
   */
  public void imageWritten() {
    if (memtables.frozen() == null) {
      return;
    }
    earliestExpiryWritten = image.current().takeEarliestExpiry();
    memtables.release();
    batch.refreshView();
    log.imageWritten(image.current().version());
    freezeWhenLarge();
  }

  /** Returns the newest version that is visible to readers. Thread-safe. */
  public long visible() {
    return memtables.visible();
  }

  /**
   * Returns the newest version that is visible to readers and cannot be lost in a crash.
   * Thread-safe.
   */
  public long horizon() {
    return log.horizon(visible());
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
   * Returns true if a version may have been assigned in a history that this store does not
   * continue: it was lost in a crash, or the store was restored or cut before it. Thread-safe.
   */
  public boolean isLost(long version) {
    CommitLog commits = log.commits();
    return commits != null && commits.isLost(version);
  }

  /** Returns the version of the next commit. Must be called on the store thread. */
  public long next() {
    return batch.last() + 1;
  }

  /** Returns a cursor over the published commits after a version. Thread-safe. */
  public ChangeCursor changes(long since) {
    return new ChangeCursor(this, recent, log.commits(), since);
  }

  /** Makes the store thread use the new image. Must be called on that thread. */
  public void imageReplaced() {
    batch.refreshView();
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
   * Returns the statistics. If the log could not be written a while ago, tries again first, so that
   * the store recovers without a commit that fails. Must be called on the store thread.
   */
  public StoreStats stats() {
    log.tryAgain();
    MemtableSet.Held held = memtables.held();
    Memtable frozen = memtables.frozen();
    return new StoreStats(
        visible(),
        horizon(),
        lastCommitMillis,
        health.errorCode(),
        image.current().bytes(),
        log.bytes(),
        log.segmentCount(),
        batch.latest().active().bytes() + (frozen == null ? 0 : frozen.bytes()),
        held.count(),
        held.count() == 0 ? 0 : Math.max(0, clock.millis() - held.oldestMillis()),
        held.lag(),
        clock.state());
  }

  /**
   * Returns the approximate number of keys, internal and expired ones included. Must be called on a
   * reader thread.
   */
  public long estimateKeys() {
    try (StoreSnapshot newest = snapshot()) {
      try {
        return KeyCountEstimate.of(newest.enter());
      } finally {
        newest.leave();
      }
    }
  }

  /** Closes the files. Nothing else may be running. The log keeps what the image lacks. */
  public void close() throws IOException {
    try (lock;
        image;
        log) {
      if (health.failure() == null) {
        syncLog();
        log.finish();
      }
    }
    if (options.directory() != null) {
      LOG.info("closed {}", options.directory());
    }
  }
}
