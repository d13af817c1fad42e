package io.kvreactive.internal.engine;

import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.internal.store.ExpiryScan;
import io.kvreactive.internal.store.Store;
import io.kvreactive.internal.store.StoreSnapshot;
import io.kvreactive.internal.store.log.CommitRecord;
import io.kvreactive.internal.store.memtable.ExpiryKey;
import io.kvreactive.spi.StoredChange;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes expired entries soon after their expiry. Reads do not depend on it: for them a key is
 * absent from its expiry on. The sweeper sleeps until the next key expires, then searches for
 * expired entries on a reader thread. It deletes them in small commits, which do not delay others.
 * State is confined to the store thread.
 */
final class ExpirySweeper {
  private static final Logger LOG = LoggerFactory.getLogger(ExpirySweeper.class);

  /** Maximum number of keys that one scan takes from an index. */
  private static final int SCAN = 2048;

  /** Maximum number of entries of the indexes in memory that are dropped at a time. */
  private static final int DROPPED_AT_ONCE = 256;

  /**
   * Minimum time between runs, so that keys that expire one after the other are removed together.
   */
  private static final long MIN_PAUSE_MILLIS = 100;

  /** Time until the next attempt after a failure. */
  private static final long FAILED_PAUSE_MILLIS = 2000;

  /** Maximum time between runs, because the wall clock may be set forward meanwhile. */
  private static final long MAX_PAUSE_MILLIS = 60_000;

  private final Store store;
  private final CommitQueue commits;
  private final Executor storeThread;
  private final Executor readers;
  private final TimerThread timers;

  private @Nullable Future<?> timer;
  private long timerAt = Long.MAX_VALUE;
  private long nextAt = Long.MAX_VALUE;
  private long lastRun;
  private boolean running;
  private byte[] imageThrough = {};
  // earliest expiry written to the image during the run
  private long earliestWritten = Long.MAX_VALUE;
  private boolean waitsForImage;

  ExpirySweeper(
      Store store,
      CommitQueue commits,
      Executor storeThread,
      Executor readers,
      TimerThread timers) {
    this.store = store;
    this.commits = commits;
    this.storeThread = storeThread;
    this.readers = readers;
    this.timers = timers;
  }

  /** Starts a run: removes expired entries, then determines the next expiry. */
  void run() {
    running = true;
    waitsForImage = false;
    earliestWritten = Long.MAX_VALUE;
    timerAt = Long.MAX_VALUE;
    nextAt = Long.MAX_VALUE; // later commits lower it
    byte[] after = imageThrough;
    try {
      readers.execute((ReadPool.LongRead) () -> scan(after));
    } catch (KvException e) {
      LOG.debug("closing; expired entries are removed after the next open", e);
    }
  }

  /** Records the expiries of published commits. */
  void published(List<CommitRecord> published) {
    long earliest = Long.MAX_VALUE;
    for (CommitRecord commit : published) {
      for (StoredChange effect : commit.effects()) {
        if (effect.expireAt() != 0 && effect.expireAt() < earliest) {
          earliest = effect.expireAt();
        }
      }
    }
    dueAt(earliest);
  }

  /**
   * Records that a memtable was written to the image. Its entries may lie before the position at
   * which the last scan of the image ended.
   */
  void imageWritten(long earliestExpiry) {
    earliestWritten = Math.min(earliestWritten, earliestExpiry);
    if (waitsForImage) {
      run();
      return;
    }
    if (imageThrough.length > 0 && earliestExpiry <= ExpiryKey.expireAt(imageThrough)) {
      imageThrough = new byte[0];
      dueAt(earliestExpiry);
    }
  }

  private void dueAt(long millis) {
    if (millis < nextAt) {
      nextAt = millis;
      arm();
    }
  }

  private void arm() {
    if (running || nextAt == Long.MAX_VALUE) {
      return; // armed at the end of the run
    }
    long now = store.clock().millis();
    // nothing is removed while the time is unconfirmed
    boolean isUnconfirmed = store.clock().confirmedMillis() < now;
    long pause = isUnconfirmed ? MAX_PAUSE_MILLIS : MIN_PAUSE_MILLIS;
    long at = Math.min(Math.max(nextAt, lastRun + pause), now + MAX_PAUSE_MILLIS);
    if (at >= timerAt) {
      return;
    }
    if (timer != null) {
      timer.cancel(false);
    }
    timerAt = at;
    timer = timers.at(at, () -> storeThread.execute(this::runUnlessRunning));
  }

  private void runUnlessRunning() {
    if (!running) {
      run();
    }
  }

  private void scan(byte[] after) {
    StoreSnapshot snapshot = store.snapshot();
    try {
      ExpiryScan scan = EngineReads.guarded(() -> store.scanExpired(snapshot, after, SCAN));
      storeThread.execute(() -> delete(snapshot, scan, 0));
    } catch (KvException e) {
      storeThread.execute(() -> failed(snapshot, e));
    }
  }

  private void delete(StoreSnapshot snapshot, ExpiryScan scan, int from) {
    if (from == scan.expired().size()) {
      snapshot.close();
      drop(snapshot, scan, 0);
      return;
    }
    if (store.isImageBehind()) { // deletions take memory, which commits need more
      snapshot.close();
      waitsForImage = true;
      return;
    }
    commits
        .submitOwn(store -> store.stageExpired(snapshot, scan, from))
        .subscribe(to -> delete(snapshot, scan, to), e -> failed(snapshot, e));
  }

  /** Drops processed entries from the indexes in memory, some at a time between other commits. */
  private void drop(StoreSnapshot snapshot, ExpiryScan scan, int from) {
    List<byte[]> entries = scan.inMemory();
    int to = Math.min(entries.size(), from + DROPPED_AT_ONCE);
    if (from == to) {
      done(scan);
      return;
    }
    commits
        .submitOwn(
            store -> {
              store.sweptExpired(entries.subList(from, to));
              return to;
            })
        .subscribe(next -> drop(snapshot, scan, next), e -> failed(snapshot, e));
  }

  private void done(ExpiryScan scan) {
    imageThrough = scan.imageThrough();
    if (imageThrough.length > 0 && earliestWritten <= ExpiryKey.expireAt(imageThrough)) {
      imageThrough = new byte[0]; // entries written meanwhile may lie before it
      run();
      return;
    }
    if (scan.nextAt() == 0) {
      run();
    } else {
      rest(scan.nextAt());
    }
  }

  /** Handles a failure. Nothing is lost: the indexes still have the entries. */
  private void failed(StoreSnapshot snapshot, Throwable e) {
    snapshot.close();
    LOG.debug("removing expired entries failed, and is retried", e);
    imageThrough = new byte[0];
    boolean tooOld = KvError.is(e, KvErrorCode.SNAPSHOT_TOO_OLD);
    rest(store.clock().millis() + (tooOld ? 0 : FAILED_PAUSE_MILLIS));
  }

  private void rest(long next) {
    nextAt = Math.min(nextAt, next);
    lastRun = store.clock().millis();
    running = false;
    arm();
  }
}
