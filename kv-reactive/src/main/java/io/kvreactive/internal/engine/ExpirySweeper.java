package io.kvreactive.internal.engine;

import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.internal.store.ExpiryScan;
import io.kvreactive.internal.store.Store;
import io.kvreactive.internal.store.StoreSnapshot;
import io.kvreactive.internal.store.log.AppliedMutation;
import io.kvreactive.internal.store.log.CommitRecord;
import io.kvreactive.internal.store.memtable.ExpiryKey;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes what has expired, soon after. Readers do not need it: for them a key is absent from the
 * moment it expires. It sleeps until the next key is due, looks for what is due on a reader thread,
 * and deletes it in commits so small that others do not notice. State: store thread.
 */
final class ExpirySweeper {
  private static final Logger LOG = LoggerFactory.getLogger(ExpirySweeper.class);

  /** Keys that one look takes from an index. */
  private static final int SCAN = 2048;

  /** Entries of the indexes in memory that are dropped in one go. */
  private static final int DROPPED_AT_ONCE = 256;

  /** Keys that expire one by one are removed together. */
  private static final long MIN_PAUSE_MILLIS = 100;

  /** Until the next try, when one has failed. */
  private static final long FAILED_PAUSE_MILLIS = 2000;

  /** The wall clock may be set forward meanwhile. */
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
  private long earliestWritten = Long.MAX_VALUE; // to the image, during the run
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

  /** Looks for what is due, and when the next is. */
  void run() {
    running = true;
    waitsForImage = false;
    earliestWritten = Long.MAX_VALUE;
    timerAt = Long.MAX_VALUE;
    nextAt = Long.MAX_VALUE; // commits from here on lower it
    byte[] after = imageThrough;
    try {
      readers.execute((ReadPool.LongRead) () -> scan(after));
    } catch (KvException e) {
      LOG.debug("closing; whoever opens the store next removes what has expired", e);
    }
  }

  /** Notes what was committed. */
  void published(List<CommitRecord> published) {
    long earliest = Long.MAX_VALUE;
    for (CommitRecord commit : published) {
      for (AppliedMutation effect : commit.effects()) {
        if (effect.expireAt() != 0 && effect.expireAt() < earliest) {
          earliest = effect.expireAt();
        }
      }
    }
    dueAt(earliest);
  }

  /** What was in memory is in the image now, perhaps before the place where the last look ended. */
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
      return; // the end of the run arms it
    }
    long now = store.now();
    boolean isUnconfirmed = store.confirmedNow() < now; // nothing is removed then
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
    if (store.isImageBehind()) { // what is deleted takes memory, which commits need more
      snapshot.close();
      waitsForImage = true;
      return;
    }
    commits
        .submitOwn(store -> store.stageExpired(snapshot, scan, from))
        .subscribe(to -> delete(snapshot, scan, to), e -> failed(snapshot, e));
  }

  /** Drops from the indexes in memory what was dealt with, between the commits of others. */
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
      imageThrough = new byte[0]; // what was written meanwhile may lie before it
      run();
      return;
    }
    if (scan.nextAt() == 0) {
      run();
    } else {
      rest(scan.nextAt());
    }
  }

  /** Nothing is lost: the indexes still have it. */
  private void failed(StoreSnapshot snapshot, Throwable e) {
    snapshot.close();
    LOG.debug("removing what has expired failed, and is tried again", e);
    imageThrough = new byte[0];
    boolean tooOld = KvError.is(e, KvErrorCode.SNAPSHOT_TOO_OLD);
    rest(store.now() + (tooOld ? 0 : FAILED_PAUSE_MILLIS));
  }

  private void rest(long next) {
    nextAt = Math.min(nextAt, next);
    lastRun = store.now();
    running = false;
    arm();
  }
}
