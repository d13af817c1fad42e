package io.kvreactive.internal.engine;

import io.kvreactive.CompactionProgress;
import io.kvreactive.KvException;
import io.kvreactive.VerifyReport;
import io.kvreactive.internal.store.Store;
import io.kvreactive.internal.store.log.LogRetention;
import io.kvreactive.internal.store.verify.Verification;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;

/**
 * Maintains a store's files. A thread of its own, the image thread, writes memtables to the image,
 * compacts and verifies. The log is synced, and its old segments are dropped, on the store thread.
 */
final class Maintenance {
  private static final Logger LOG = LoggerFactory.getLogger(Maintenance.class);
  private static final long RETRY_IMAGE_MILLIS = 500;
  private static final long MIN_DROP_MILLIS = 1000;
  private static final long MAX_DROP_MILLIS = 600_000;

  private final Store store;
  private final Executor storeThread;
  private final ScheduledExecutorService imageThread;
  private final CommitQueue commits;
  private final ExpirySweeper sweeper;
  private final Subscriptions subscriptions;
  private final TimerThread timers;
  private final CloseGuard closeGuard;
  private final Compactor compactor;
  private final long dropEveryMillis;
  private volatile @Nullable Future<?> retry;
  private boolean stopped; // confined to the store thread

  /**
   * Creates the maintenance of a store.
   *
   * @param name the name of the store
   * @param retention the retention of its log
   */
  Maintenance(
      Store store,
      String name,
      LogRetention retention,
      Executor storeThread,
      CommitQueue commits,
      ExpirySweeper sweeper,
      Subscriptions subscriptions,
      TimerThread timers,
      CloseGuard closeGuard) {
    this.store = store;
    this.storeThread = storeThread;
    this.commits = commits;
    this.sweeper = sweeper;
    this.subscriptions = subscriptions;
    this.timers = timers;
    this.closeGuard = closeGuard;
    this.imageThread =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "kv-image-" + name);
              thread.setDaemon(true);
              return thread;
            });
    this.compactor = new Compactor(store, imageThread, storeThread, this::imageReplaced);
    this.dropEveryMillis =
        Math.max(MIN_DROP_MILLIS, Math.min(MAX_DROP_MILLIS, retention.millis() / 4));
  }

  // ---- the log, on the store thread

  /** Syncs the log. Must be called on the store thread. */
  void syncLog() {
    try {
      store.syncLog();
      subscriptions.horizonAdvanced();
    } catch (KvException e) {
      LOG.error("the store takes no more commits", e);
    }
  }

  /**
   * Drops old log segments, and repeats this periodically, so that the age of the log is bounded
   * without commits too. Must be called on the store thread.
   */
  void dropOldLog() {
    if (!stopped) {
      store.log().dropOld();
      var unused =
          timers.at(
              store.clock().millis() + dropEveryMillis,
              () -> storeThread.execute(this::dropOldLog));
    }
  }

  // ---- the image

  /** Requests that the frozen memtable be written to the image. Thread-safe. */
  void requestImage() {
    try {
      imageThread.execute(this::writeImage);
    } catch (RejectedExecutionException e) {
      LOG.debug("closing; the log keeps what the image lacks", e);
    }
  }

  private void writeImage() {
    if (closeGuard.hasBegun()) {
      return;
    }
    long start = System.nanoTime();
    if (store.image().write()) {
      compactor.written(System.nanoTime() - start);
      storeThread.execute(this::imageWritten);
    } else if (store.health().failure() != null) {
      LOG.error("the store takes no more commits", store.health().failure());
      storeThread.execute(commits::drain);
    } else if (!closeGuard.hasBegun()) {
      storeThread.execute(commits::drain);
      retry = imageThread.schedule(this::writeImage, RETRY_IMAGE_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void imageWritten() {
    if (!stopped) {
      store.imageWritten();
      sweeper.imageWritten(store.earliestExpiryWritten());
      subscriptions.horizonAdvanced();
      commits.drain();
    }
  }

  private void imageReplaced() {
    if (!stopped) {
      store.imageReplaced();
      sweeper.imageWritten(0); // it may contain entries that the sweeper has passed
    }
  }

  /** Starts or joins a compaction; see {@link io.kvreactive.spi.KvEngine#compact}. Thread-safe. */
  Flux<CompactionProgress> compact() {
    return Flux.defer(
        () -> {
          closeGuard.checkOpen();
          return compactor.compact();
        });
  }

  /** Verifies the store; see {@link io.kvreactive.spi.KvEngine#verify}. Thread-safe. */
  Flux<VerifyReport> verify() {
    return StoreVerifier.verify(
            () -> Verification.of(store), this::checkSound, compactor::release, imageThread)
        .doOnSubscribe(ignored -> compactor.hold()); // the image must not be replaced meanwhile
  }

  private void checkSound() {
    closeGuard.checkOpen();
    KvException failed = store.health().failure();
    if (failed != null) {
      throw new KvException(failed.code(), "the store has failed: " + failed.detail(), failed);
    }
  }

  // ---- the end

  /**
   * Returns true after {@link #stop}: the store thread must not use the store any more. Must be
   * called on the store thread.
   */
  boolean isStopped() {
    return stopped;
  }

  /**
   * Stops the maintenance. Must be called on the store thread, which must not use the store from
   * here on.
   *
   * @param last a task that runs on the image thread after its waiting tasks; it calls {@link
   *     #abandonCompaction} before it closes the store
   */
  void stop(Runnable last) {
    stopped = true;
    store.image().stopWriting();
    compactor.stop();
    Future<?> waiting = retry;
    if (waiting != null) {
      waiting.cancel(false);
    }
    imageThread.execute(last);
    imageThread.shutdown();
  }

  /** Aborts a running compaction. Must be called on the image thread, after {@link #stop}. */
  void abandonCompaction() {
    compactor.close();
  }
}
