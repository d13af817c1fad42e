package io.kvreactive.internal.store;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.LatencySummary;
import io.kvreactive.internal.shared.SteadyClock;
import io.kvreactive.internal.store.file.IoFailures;
import io.kvreactive.internal.store.log.CommitLog;
import io.kvreactive.internal.store.log.NotReadyException;
import io.kvreactive.internal.store.log.VersionSkip;
import io.kvreactive.spi.StoredChange;
import java.io.Closeable;
import java.io.IOException;
import java.io.SyncFailedException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of a store: writes batches, syncs and tracks the durable version, drops segments that are
 * no longer needed. A store in memory has no log, and the methods do nothing. Confined to the store
 * thread, except {@link #sync}, {@link #horizon}, {@link #pin}, {@link #syncs} and {@link
 * #commits}, which are thread-safe.
 */
public final class StoreLog implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(StoreLog.class);

  /**
   * Number of log segments since the last rotation at which a memtable is frozen, whatever its
   * size.
   */
  private static final int MAX_SEGMENTS_PER_MEMTABLE = 4;

  private final StoreOptions options;
  private final @Nullable CommitLog log;
  private final StoreHealth health;
  private final SteadyClock clock;
  private final Latencies syncs = new Latencies(System.nanoTime()); // guarded by itself
  private final AtomicLong durable = new AtomicLong();
  private long sinceRotation;
  private boolean deletionFailed;
  private long inImage; // durably, after a checkpoint

  /**
   * Creates the log of a store.
   *
   * @param log the files, or null for a store in memory
   * @param durable the last version in the log
   * @param inImage the last version in the image
   * @param replayedBytes the bytes of the log that the image lacks
   * @param clock the store's time
   */
  StoreLog(
      StoreOptions options,
      @Nullable CommitLog log,
      long durable,
      long inImage,
      long replayedBytes,
      StoreHealth health,
      SteadyClock clock) {
    this.options = options;
    this.log = log;
    this.health = health;
    this.clock = clock;
    this.durable.set(durable);
    this.inImage = inImage;
    this.sinceRotation = replayedBytes; // so that the log does not grow with each restart
  }

  /** Returns the commit log, or null for a store in memory. */
  public @Nullable CommitLog commits() {
    return log;
  }

  /** Adds a commit to the batch. */
  void add(List<StoredChange> effects) {
    if (log != null) {
      log.add(effects);
    }
  }

  /** Returns the bytes of the batch so far. */
  int pendingBytes() {
    return log == null ? 0 : log.pendingBytes();
  }

  /**
   * Writes the batch, and syncs it if every commit must be durable before it is visible.
   *
   * @param first the first version of the batch
   * @param last the last version of the batch
   * @throws IOException if nothing of the batch is in the log; {@link #appendFailed} must be called
   *     next
   * @throws KvException IO_FAILED if that is unknown
   */
  void append(long first, long last, long millis) throws IOException {
    if (log == null) {
      return;
    }
    int bytes = log.pendingBytes();
    log.append(first, durable.get(), millis);
    health.logWritten();
    sinceRotation += bytes;
    if (options.syncEveryCommit() || last - durable.get() > VersionSkip.MAX_UNSYNCED) {
      sync(log);
      durable.accumulateAndGet(last, Math::max);
    }
  }

  /** Records the failure of a write and returns the error of its commits. */
  KvException appendFailed(IOException e) {
    if (e instanceof SyncFailedException) { // of the previous segment
      return syncFailed(e);
    }
    KvException failed = IoFailures.of(e, options.place(), "writing the log");
    if (e instanceof NotReadyException && failed.code() == KvErrorCode.IO_FAILED) {
      failed = new KvException(KvErrorCode.OVERLOADED, "nothing was written: " + e.getMessage(), e);
    }
    if (failed.code() != KvErrorCode.IO_FAILED) {
      health.logRefused(failed);
      dropRetainedIfDiskFull(failed);
    } else {
      health.fail(failed);
    }
    return failed;
  }

  /**
   * Makes everything up to a version durable. Thread-safe.
   *
   * @param published a version whose batch has been written
   * @throws KvException IO_FAILED, and the store takes no more commits
   */
  void sync(long published) {
    if (log != null && durable.get() < published) {
      sync(log);
      durable.accumulateAndGet(published, Math::max);
    }
  }

  private void sync(CommitLog log) {
    long begin = System.nanoTime();
    try {
      log.sync();
    } catch (IOException e) {
      throw syncFailed(e);
    }
    long end = System.nanoTime();
    synchronized (syncs) {
      syncs.record(end - begin, end);
    }
  }

  /** Fails the store: the content of the medium after a failed sync is unknown. */
  private KvException syncFailed(IOException e) {
    KvException failed = new KvException(KvErrorCode.IO_FAILED, "syncing the log failed: " + e, e);
    health.fail(failed);
    return failed;
  }

  /** Returns the durations of the syncs. Thread-safe. */
  public LatencySummary syncs() {
    synchronized (syncs) {
      return syncs.summary(System.nanoTime());
    }
  }

  /**
   * Returns the newest version, at most a published one, that cannot be lost in a crash.
   * Thread-safe.
   */
  long horizon(long visible) {
    return log == null ? visible : Math.min(visible, durable.get());
  }

  /** Returns true if the log has grown by several segments since a memtable was frozen. */
  boolean isLongSinceFreeze() {
    return sinceRotation >= MAX_SEGMENTS_PER_MEMTABLE * options.segmentBytes();
  }

  /** Records that later commits belong to a new memtable. */
  void memtableRotated() {
    sinceRotation = 0;
  }

  /** Records that the image durably has everything up to a version, and drops old segments. */
  void imageWritten(long version) {
    inImage = version;
    dropOld();
  }

  /** Retries what failed before the last write of a batch, if the retry is due. */
  void tryAgain() {
    if (log != null && health.isLogRetryDue()) {
      try {
        log.makeReady();
        health.logWritten();
      } catch (IOException e) {
        KvException unused = appendFailed(e);
      }
    }
  }

  /**
   * Drops the segments that are beyond the retention. Segments that cannot be deleted now are
   * deleted later; they only take space.
   */
  public void dropOld() {
    if (log != null) {
      try {
        log.dropThrough(inImage, clock.confirmedMillis());
        deletionFailed = false;
      } catch (IOException e) {
        if (!deletionFailed) {
          LOG.warn("old segments of the log cannot be deleted; this is retried", e);
        }
        deletionFailed = true;
      }
    }
  }

  /**
   * Marks an orderly stop. If that fails, the next open treats the stop as a crash, without any
   * loss.
   */
  void finish() {
    if (log != null) {
      try {
        log.finish(clock.millis());
      } catch (IOException e) {
        LOG.warn("the end of the log could not be marked; the next open recovers it", e);
      }
    }
  }

  /** On a full disk, drops retained segments: accepting commits outranks change-feed history. */
  void dropRetainedIfDiskFull(KvException full) {
    if (log != null && full.code() == KvErrorCode.DISK_FULL) {
      try {
        log.dropRetained(inImage);
      } catch (IOException e) {
        full.addSuppressed(e);
      }
    }
  }

  /**
   * Keeps all commits from a version on until the returned pin is closed. Thread-safe.
   *
   * @throws KvException COMPACTED if they have been dropped
   */
  public AutoCloseable pin(long version) {
    return log == null ? () -> {} : log.pin(version);
  }

  /** Returns the bytes of the log. */
  long bytes() {
    return log == null ? 0 : log.bytes();
  }

  /** Returns the number of files of the log. */
  int segmentCount() {
    return log == null ? 0 : log.segmentCount();
  }

  @Override
  public void close() throws IOException {
    if (log != null) {
      log.close();
    }
  }
}
