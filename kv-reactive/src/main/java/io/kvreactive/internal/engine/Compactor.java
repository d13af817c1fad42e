package io.kvreactive.internal.engine;

import io.kvreactive.CompactionProgress;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.internal.store.Compaction;
import io.kvreactive.internal.store.Store;
import io.kvreactive.internal.store.file.IoFailures;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;

/**
 * Runs compactions on the image thread, one at a time, in steps between which memtables are
 * written. A step takes about half of the thread's time while it copies, and most of it while it
 * catches up; otherwise it would never catch up under a load that keeps the thread busy. State is
 * confined to the image thread.
 */
final class Compactor {
  private static final Logger LOG = LoggerFactory.getLogger(Compactor.class);
  private static final long MIN_STEP_NANOS = 50_000_000;
  private static final long MAX_STEP_NANOS = 1_000_000_000;
  private static final int CATCH_UP_SHARE = 4;
  private static final long PAUSE_AFTER_FAILURE_NANOS = TimeUnit.HOURS.toNanos(1);

  private final Store store;
  private final Executor imageThread;
  private final Executor storeThread;
  private final Runnable replaced;
  private final List<FluxSink<CompactionProgress>> watching = new CopyOnWriteArrayList<>();
  private @Nullable Compaction running;
  private int holds;
  private boolean stepWaits;
  private boolean automatic;
  private long notBefore = System.nanoTime();
  private long bytesBefore;
  private long lastWriteNanos;
  private volatile boolean closed;

  /**
   * Creates a compactor.
   *
   * @param replaced called on the store thread after the image was replaced
   */
  Compactor(Store store, Executor imageThread, Executor storeThread, Runnable replaced) {
    this.store = store;
    this.imageThread = imageThread;
    this.storeThread = storeThread;
    this.replaced = replaced;
  }

  /**
   * Records that a memtable was written, and starts a compaction if one is worthwhile.
   *
   * @param nanos the duration of the write
   */
  void written(long nanos) {
    lastWriteNanos = nanos;
    if (running == null
        && !closed
        && System.nanoTime() - notBefore >= 0
        && store.image().isWorthCompacting()) {
      automatic = true;
      begin();
    }
  }

  /** Starts a compaction, or joins the running one, and emits its progress. */
  Flux<CompactionProgress> compact() {
    return Flux.create(
        sink -> {
          watching.add(sink);
          sink.onDispose(() -> watching.remove(sink));
          try {
            imageThread.execute(this::begin);
          } catch (RejectedExecutionException e) {
            sink.error(closedError());
          }
        },
        FluxSink.OverflowStrategy.LATEST);
  }

  private void begin() {
    if (closed) {
      fail(closedError());
      return;
    }
    if (running != null || watching.isEmpty() && !automatic) { // all subscribers have cancelled
      return;
    }
    try {
      Compaction compaction = store.image().compaction();
      if (compaction == null) {
        fail(new KvException(KvErrorCode.UNSUPPORTED, "a store in memory has no files to compact"));
        return;
      }
      bytesBefore = store.image().bytes();
      running = compaction;
      again();
    } catch (IOException | RuntimeException e) {
      fail(asKvException(e));
    }
  }

  private void again() {
    if (running == null || stepWaits || holds > 0) {
      return;
    }
    stepWaits = true;
    try {
      imageThread.execute(this::step);
      // the store is being closed, and the subscribers were notified
    } catch (RejectedExecutionException e) {
      LOG.debug("compaction ends with the store", e);
    }
  }

  /** Suspends compactions until {@link #release}; calls nest. Thread-safe. */
  void hold() {
    change(1);
  }

  /** Reverts one {@link #hold}, and resumes after the last. Thread-safe. */
  void release() {
    change(-1);
  }

  private void change(int by) {
    try {
      imageThread.execute(
          () -> {
            holds += by;
            again();
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("the store is closed", e);
    }
  }

  private void step() {
    stepWaits = false;
    Compaction compaction = running;
    if (compaction == null || holds > 0) {
      return;
    }
    if (closed) {
      abandon(compaction, closedError());
      return;
    }
    if (watching.isEmpty() && !automatic) {
      giveUp(compaction); // later subscribers start another compaction
      return;
    }
    long nanos = Math.max(MIN_STEP_NANOS, lastWriteNanos);
    try {
      long share = compaction.isCatchingUp() ? CATCH_UP_SHARE * nanos : nanos;
      if (!compaction.step(Math.min(share, MAX_STEP_NANOS))) {
        progress(compaction, false);
        again();
        return;
      }
    } catch (IOException | RuntimeException | Error e) {
      abandon(compaction, asKvException(e));
      return;
    }
    try {
      store.image().replace(compaction);
    } catch (IOException e) {
      LOG.warn("the files of the old image could not be deleted", e);
    }
    storeThread.execute(replaced);
    end();
    progress(compaction, true);
  }

  private void progress(Compaction compaction, boolean done) {
    long now;
    try {
      now = done ? store.image().bytes() : 0;
    } catch (IOException e) {
      now = 0; // for information only
    }
    CompactionProgress progress =
        new CompactionProgress(compaction.copied(), compaction.keys(), bytesBefore, now, done);
    // later subscribers start another compaction
    for (FluxSink<CompactionProgress> sink : watching) {
      sink.next(progress);
      if (done) {
        sink.complete();
      }
    }
  }

  private void end() {
    running = null;
    automatic = false;
  }

  private void abandon(Compaction compaction, KvException why) {
    giveUp(compaction);
    fail(why);
  }

  private void giveUp(Compaction compaction) {
    end();
    pause();
    try {
      compaction.abandon();
    } catch (IOException | RuntimeException e) {
      LOG.warn("the files of an aborted compaction could not be deleted", e);
    }
  }

  private void pause() {
    notBefore = System.nanoTime() + PAUSE_AFTER_FAILURE_NANOS; // for automatic compactions only
  }

  private void fail(KvException why) {
    pause();
    if (watching.isEmpty() && why.code() != KvErrorCode.CLOSED) {
      LOG.warn("compaction failed", why);
    }
    watching.forEach(sink -> sink.error(why));
  }

  private static KvException closedError() {
    return new KvException(KvErrorCode.CLOSED, "the store is closed");
  }

  private static KvException asKvException(Throwable e) {
    if (e instanceof KvException known) {
      return known;
    }
    return e instanceof IOException io
        ? IoFailures.of(io, Path.of("image"), "compacting")
        : new KvException(KvErrorCode.INTERNAL, "compacting failed: " + e, e);
  }

  /**
   * Aborts a running compaction. Must be the last call on the image thread before the store is
   * closed.
   */
  void close() {
    closed = true;
    Compaction compaction = running;
    if (compaction != null) {
      abandon(compaction, closedError());
    }
  }

  /** Prevents further steps. Thread-safe. */
  void stop() {
    closed = true;
  }
}
