package io.kvreactive.internal.store;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.LatencySummary;
import io.kvreactive.SteadyClock;
import io.kvreactive.internal.store.file.IoFailures;
import io.kvreactive.internal.store.log.AppliedMutation;
import io.kvreactive.internal.store.log.CommitLog;
import io.kvreactive.internal.store.log.NotReadyException;
import io.kvreactive.internal.store.log.VersionSkip;
import java.io.Closeable;
import java.io.IOException;
import java.io.SyncFailedException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a store does with its log: writes batches to it, syncs it and knows how far, drops what the
 * image has. A store in memory has no log, and nothing to do here. The thread that stages calls it;
 * any thread may call {@link #sync}, {@link #horizon}, {@link #pin}, {@link #syncs} and {@link
 * #commits}.
 */
final class StoreLog implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(StoreLog.class);

  /** A memtable is also frozen when the log behind it has grown to this many segments. */
  private static final int MAX_SEGMENTS_PER_MEMTABLE = 4;

  private final StoreOptions options;
  private final @Nullable CommitLog log;
  private final StoreHealth health;
  private final SteadyClock clock;
  private final Latencies syncs = new Latencies(System.nanoTime()); // guarded by itself
  private final AtomicLong durable = new AtomicLong();
  private long sinceRotation;
  private boolean undeleted;
  private long inImage; // a checkpoint has brought it to the medium

  /**
   * @param log null for a store in memory
   * @param durable the last version in the log
   * @param inImage the last version in the image
   * @param replayedBytes of the log, which the image lacks
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
    this.sinceRotation = replayedBytes; // so that restarts alone cannot make the log grow
  }

  /** Returns the log itself, or null for a store in memory. */
  @Nullable CommitLog commits() {
    return log;
  }

  /** Adds a commit to the batch. */
  void add(List<AppliedMutation> effects) {
    if (log != null) {
      log.add(effects);
    }
  }

  /** Bytes of the batch so far. */
  int pendingBytes() {
    return log == null ? 0 : log.pendingBytes();
  }

  /**
   * Writes the batch; brings it to the medium when every commit is to be there before it is seen.
   *
   * @param first its first version
   * @param last its last version
   * @throws IOException when nothing of it is in the log; {@link #appendFailed} comes next
   * @throws KvException IO_FAILED when that is unknown
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

  /** Decides what becomes of the store when a batch could not be written, and how to tell it. */
  KvException appendFailed(IOException e) {
    if (e instanceof SyncFailedException) { // of the segment before
      return syncFailed(e);
    }
    KvException failed = IoFailures.of(e, options.place(), "writing the log");
    if (e instanceof NotReadyException && failed.code() == KvErrorCode.IO_FAILED) {
      failed = new KvException(KvErrorCode.OVERLOADED, "nothing was written: " + e.getMessage(), e);
    }
    if (failed.code() != KvErrorCode.IO_FAILED) {
      health.logRefused(failed);
      makeRoom(failed);
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

  /** What a failed sync has left on the medium is unknown: never go on from here. */
  private KvException syncFailed(IOException e) {
    KvException failed = new KvException(KvErrorCode.IO_FAILED, "syncing the log failed: " + e, e);
    health.fail(failed);
    return failed;
  }

  /** How long the syncs took. Thread-safe. */
  LatencySummary syncs() {
    synchronized (syncs) {
      return syncs.summary(System.nanoTime());
    }
  }

  /** Of the versions up to a published one, the newest that no crash takes back. Thread-safe. */
  long horizon(long visible) {
    return log == null ? visible : Math.min(visible, durable.get());
  }

  /** Returns true if it has grown long since a memtable was frozen. */
  boolean isLongSinceFreeze() {
    return sinceRotation >= MAX_SEGMENTS_PER_MEMTABLE * options.segmentBytes();
  }

  /** What is written from here on belongs to a new memtable. */
  void memtableRotated() {
    sinceRotation = 0;
  }

  /** The image has, on the medium, everything up to a version. */
  void imageWritten(long version) {
    inImage = version;
    dropOld();
  }

  /** Does what could not be done before the last batch was written, if it is time to. */
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
   * Drops what is kept of the log for nobody any more. What cannot be deleted now is deleted later:
   * it takes room and does no other harm.
   */
  void dropOld() {
    if (log != null) {
      try {
        log.dropThrough(inImage, clock.confirmedMillis());
        undeleted = false;
      } catch (IOException e) {
        if (!undeleted) {
          LOG.warn("old segments of the log cannot be deleted; this is tried again", e);
        }
        undeleted = true;
      }
    }
  }

  /**
   * Writes down that the store was stopped in good order. Where that fails, the next open takes the
   * stop for a crash, and loses nothing by it.
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

  /** To take commits is worth more than to keep what they were. */
  void makeRoom(KvException full) {
    if (log != null && full.code() == KvErrorCode.DISK_FULL) {
      try {
        log.dropRetained(inImage);
      } catch (IOException e) {
        full.addSuppressed(e);
      }
    }
  }

  /**
   * Keeps every commit from a version on, until what this returns is closed. Thread-safe.
   *
   * @throws KvException COMPACTED when it has been dropped
   */
  AutoCloseable pin(long version) {
    return log == null ? () -> {} : log.pin(version);
  }

  /** Bytes of the log. */
  long bytes() {
    return log == null ? 0 : log.bytes();
  }

  /** Files of the log. */
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
