package io.kvreactive.internal.engine;

import io.kvreactive.CommitResult;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvStats;
import io.kvreactive.LatencySummary;
import io.kvreactive.internal.shared.SpinWait;
import io.kvreactive.internal.store.Store;
import io.kvreactive.internal.store.log.CommitRecord;
import io.kvreactive.spi.Commit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * The mailbox of the store thread and its work loop: takes waiting commits, stages them, publishes
 * the batch with one sync, and answers. While one batch syncs, the next one collects. So the more
 * callers there are, the more commits share a sync. Callers that commit again when they are
 * answered would fall into two halves, of which one waits while the other syncs: so a batch waits a
 * moment for as many commits as were answered before it.
 *
 * <p>Commits keep their order, so a small one waits for the large ones before it. This wait is
 * bounded: a large commit is rejected if the waiting work would exceed {@value
 * #QUEUED_COMMITS_OF_MAX_WORK} times the maximum work of a commit. A batch is published early if
 * staging takes long.
 */
final class CommitQueue {
  private static final int MAX_BATCH_COMMITS = 4096;
  private static final int MAX_BATCH_BYTES = 4 << 20;

  /** Maximum staging time of a batch: its commits wait for their answers. */
  private static final long MAX_BATCH_NANOS = 20_000_000;

  /** A batch waits for callers at most for this part of the time that the last batch took. */
  private static final int BATCH_PER_WAIT = 4;

  private static final long MAX_WAIT_NANOS = 200_000;

  private static final int QUEUED_COMMITS_OF_MAX_WORK = 2;

  /**
   * Maximum work of a light commit, which is rejected for the number and bytes of waiting commits
   * only.
   */
  private static final int LIGHT_WORK = 1000;

  private static final LimitChecks.Cost OWN = new LimitChecks.Cost(0, 0);

  private final Store store;
  private final Executor storeThread;
  private final Consumer<List<CommitRecord>> published;
  private final int maxCommits;
  private final long maxBytes;
  private final long maxWork;

  private final ConcurrentLinkedQueue<Pending<?>> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicInteger commits = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong work = new AtomicLong();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private final CommitMeter meter = new CommitMeter();
  private volatile boolean closed;
  private volatile boolean ended;
  private @Nullable Runnable whenDrained;

  // on the store thread
  private final SpinWait spinWait = new SpinWait();
  private int expected; // commits that wait if all callers commit again
  private long expectedUntil;

  /**
   * A waiting commit.
   *
   * @param stage the function that adds the commit to the batch and returns its result, which is
   *     emitted if the batch is published
   * @param since the time of arrival, by {@link System#nanoTime}
   */
  private record Pending<T>(
      Function<Store, T> stage,
      LimitChecks.Cost cost,
      MonoSink<T> sink,
      AtomicBoolean cancelled,
      long since) {
    Pending(Function<Store, T> stage, LimitChecks.Cost cost, MonoSink<T> sink) {
      this(stage, cost, sink, new AtomicBoolean(), System.nanoTime());
    }

    Staged<T> stage(Store store) {
      return new Staged<>(this, stage.apply(store));
    }
  }

  private record Staged<T>(Pending<T> pending, T result) {
    void answer(CommitMeter meter, long now) {
      meter.answered(result, now - pending.since, now);
      pending.sink.success(result);
    }
  }

  /**
   * Creates a queue.
   *
   * @param storeThread an executor that runs tasks one at a time, in order
   * @param published the receiver of the changes of each batch, called on the store thread before
   *     the batch is answered
   * @param maxCommitWork the maximum work of one commit
   */
  CommitQueue(
      Store store,
      Executor storeThread,
      Consumer<List<CommitRecord>> published,
      int maxCommits,
      long maxBytes,
      int maxCommitWork) {
    this.store = store;
    this.storeThread = storeThread;
    this.published = published;
    this.maxCommits = maxCommits;
    this.maxBytes = maxBytes;
    this.maxWork = (long) QUEUED_COMMITS_OF_MAX_WORK * maxCommitWork;
  }

  /**
   * Adds a commit, or fails it with OVERLOADED or CLOSED on the calling thread. The sink is
   * otherwise completed on the store thread. Thread-safe.
   */
  void submit(Commit commit, LimitChecks.Cost cost, MonoSink<CommitResult> sink) {
    if (closed) {
      sink.error(closedError());
      return;
    }
    int ahead = commits.getAndIncrement();
    long bytesAhead = bytes.getAndAdd(cost.bytes());
    long workAhead = work.getAndAdd(cost.work());
    boolean tooMuch =
        bytesAhead + cost.bytes() > maxBytes
            || cost.work() > LIGHT_WORK && workAhead + cost.work() > maxWork;
    if (ahead >= maxCommits || ahead > 0 && tooMuch) {
      releaseCost(cost);
      meter.refused();
      sink.error(
          new KvException(
              KvErrorCode.OVERLOADED,
              "%d commits of %d bytes and %d units of work wait (expected: at most %d, %d and %d)"
                  .formatted(ahead, bytesAhead, workAhead, maxCommits, maxBytes, maxWork)));
      return;
    }
    add(new Pending<>(store -> store.stage(commit), cost, sink));
  }

  private void releaseCost(LimitChecks.Cost cost) {
    commits.decrementAndGet();
    bytes.addAndGet(-cost.bytes());
    work.addAndGet(-cost.work());
  }

  /**
   * Adds an internal commit of the store, which is never rejected for load. Emits the result on the
   * store thread when the commit is published. Thread-safe.
   *
   * @param stage the function that adds the commit to the batch, on the store thread
   */
  <T> Mono<T> submitOwn(Function<Store, T> stage) {
    return Mono.create(
        sink -> {
          commits.getAndIncrement();
          add(new Pending<>(stage, OWN, sink));
        });
  }

  private void add(Pending<?> pending) {
    pending.sink.onCancel(() -> pending.cancelled.set(true));
    waiting.add(pending);
    if (ended) {
      failWaiting(closedError()); // arrived after the last drain
    } else {
      schedule();
    }
  }

  private static KvException closedError() {
    return new KvException(KvErrorCode.CLOSED, "the store is closed");
  }

  private void schedule() {
    if (scheduled.compareAndSet(false, true)) {
      storeThread.execute(this::drain);
    }
  }

  /**
   * Executes the waiting commits, or as many as one batch takes. Must be called on the store
   * thread.
   */
  void drain() {
    scheduled.set(false);
    try {
      if (!closed && store.isFull()) {
        return; // called again when the image has caught up
      }
    } catch (KvException e) {
      failWaiting(e);
      return;
    }
    awaitCallers();
    batch();
    if (!waiting.isEmpty()) {
      schedule();
    } else if (closed && whenDrained != null) {
      Runnable done = whenDrained;
      whenDrained = null;
      ended = true;
      failWaiting(closedError());
      done.run();
    }
  }

  /** Waits for the callers that have just been answered. They commit again within microseconds. */
  private void awaitCallers() {
    int waits = commits.get();
    if (waits > 0 && waits < expected && System.nanoTime() - expectedUntil < 0) {
      var unused = spinWait.until(() -> commits.get() >= expected, expectedUntil);
    }
  }

  private void batch() {
    List<Staged<?>> batch = new ArrayList<>();
    Pending<?> next;
    long begin = System.nanoTime();
    while (batch.size() < MAX_BATCH_COMMITS
        && store.stagedBytes() < MAX_BATCH_BYTES
        && (batch.isEmpty() || System.nanoTime() - begin < MAX_BATCH_NANOS)
        && (next = take()) != null) {
      if (next.cancelled.get()) {
        continue; // cancelled before it had any effect
      }
      try {
        batch.add(next.stage(store));
      } catch (KvException e) {
        next.sink.error(e);
      } catch (RuntimeException | Error e) {
        next.sink.error(new KvException(KvErrorCode.INTERNAL, "commit failed: " + e, e));
      }
    }
    long staged = System.nanoTime();
    try {
      List<CommitRecord> changed = store.publish();
      meter.published(changed.size(), System.nanoTime());
      published.accept(changed);
    } catch (KvException e) {
      batch.forEach(failed -> failed.pending.sink.error(e));
      return;
    } catch (RuntimeException | Error e) {
      KvException defect = new KvException(KvErrorCode.INTERNAL, "commit failed: " + e, e);
      store.health().fail(defect);
      batch.forEach(failed -> failed.pending.sink.error(defect));
      return;
    }
    long now = System.nanoTime();
    expected = Math.min(commits.get() + batch.size(), MAX_BATCH_COMMITS);
    expectedUntil = now + Math.min((now - staged) / BATCH_PER_WAIT, MAX_WAIT_NANOS);
    batch.forEach(answered -> answered.answer(meter, now));
  }

  private @Nullable Pending<?> take() {
    Pending<?> next = waiting.poll();
    if (next != null) {
      releaseCost(next.cost);
    }
    return next;
  }

  private void failWaiting(KvException failure) {
    Pending<?> next;
    while ((next = take()) != null) {
      next.sink.error(failure);
    }
  }

  /** Returns the statistics of commits. Must be called on the store thread. */
  KvStats.Commits stats(LatencySummary sync) {
    return meter.stats(commits.get(), bytes.get(), sync);
  }

  /**
   * Rejects further commits and runs {@code done} when the waiting ones have been answered. Must be
   * called on the store thread.
   */
  void close(Runnable done) {
    closed = true;
    whenDrained = done;
    schedule();
  }
}
