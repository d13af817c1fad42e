package io.kvreactive.index.internal.worker;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.index.IndexThreads;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;

/**
 * The threads of collections: a pool each for operations on items, for queries, and for work in the
 * background, so that none of these waits for another. Also counts the long queries.
 */
public final class Workers implements IndexThreads {
  /**
   * Half of the 5 ms that no task may exceed: what it does between two checkpoints comes on top.
   */
  public static final long SLICE_NANOS = 2_000_000;

  private static final int BACKGROUND_SLOTS = 2;
  private static final long TIMER_IDLE_MILLIS = 10_000;

  private final WorkerPool items;
  private final WorkerPool queries;
  private final WorkerPool background;
  private final ScheduledThreadPoolExecutor timer;
  private final Limits limits;
  private final VectorMemory vectorMemory;
  private final Map<String, Integer> longByCaller = new HashMap<>(); // guarded by this
  private int longQueries; // guarded by this

  public Workers(Limits limits) {
    this(limits, SLICE_NANOS);
  }

  /**
   * Creates threads with other slices than usual.
   *
   * @param sliceNanos the time that a task may keep a slot while other work waits
   */
  public Workers(Limits limits, long sliceNanos) {
    int cores = Math.max(2, Runtime.getRuntime().availableProcessors());
    this.items = new WorkerPool("kv-index-items", cores, sliceNanos);
    this.queries = new WorkerPool("kv-index-queries", cores, sliceNanos);
    this.background = new WorkerPool("kv-index-background", BACKGROUND_SLOTS, sliceNanos);
    this.limits = limits;
    this.vectorMemory = new VectorMemory(limits.maxVectorMemory());
    this.timer =
        new ScheduledThreadPoolExecutor(
            1,
            work -> {
              Thread thread = new Thread(work, "kv-index-timer");
              thread.setDaemon(true);
              return thread;
            });
    timer.setRemoveOnCancelPolicy(true);
    timer.setKeepAliveTime(TIMER_IDLE_MILLIS, TimeUnit.MILLISECONDS);
    timer.allowCoreThreadTimeOut(true);
  }

  /** The share of one database in the threads. */
  public final class Share {
    private final WorkerPool.Database queryLanes = queries.database();
    private final Scheduler itemScheduler = scheduler(items);
    private final Scheduler backgroundScheduler = scheduler(background);

    private Scheduler scheduler(WorkerPool pool) {
      return new LaneScheduler(pool.database().lane(), null, Workers.this);
    }

    /** Returns the bound of the memory of vector indexes. */
    public VectorMemory vectorMemory() {
      return vectorMemory;
    }

    /** For operations on items: short work. */
    public Scheduler items() {
      return itemScheduler;
    }

    /** For work that nobody waits for. */
    public Scheduler background() {
      return backgroundScheduler;
    }

    /**
     * Starts the work of a query, to be closed.
     *
     * @param caller whose query it is; null for one that no caller is counted for
     * @param maxTime that it may work
     */
    public QueryJob query(@Nullable String caller, Duration maxTime) {
      return new QueryJob(Workers.this, queryLanes, caller, maxTime);
    }
  }

  @Override
  public long vectorMemoryBytes() {
    return vectorMemory.usedBytes();
  }

  /** The share of one more database. */
  public Share share() {
    return new Share();
  }

  Disposable after(Runnable work, long delay, TimeUnit unit) {
    ScheduledFuture<?> waiting = timer.schedule(work, delay, unit);
    return () -> waiting.cancel(false);
  }

  /** Counts one more long query, unless there are as many as there may be. */
  synchronized void beginLong(@Nullable String caller) {
    if (longQueries >= limits.maxLongQueries()) {
      throw overloaded("long queries at a time", limits.maxLongQueries());
    }
    if (caller != null) {
      int its = longByCaller.getOrDefault(caller, 0);
      if (its >= limits.maxLongQueriesPerCaller()) {
        throw overloaded("long queries of one caller at a time", limits.maxLongQueriesPerCaller());
      }
      longByCaller.put(caller, its + 1);
    }
    longQueries++;
  }

  private static KvException overloaded(String what, int most) {
    return new KvException(
        KvErrorCode.OVERLOADED, what + ": " + (most + 1) + " (expected: at most " + most + ")");
  }

  synchronized void endLong(@Nullable String caller) {
    longQueries--;
    if (caller != null) {
      longByCaller.computeIfPresent(caller, (key, its) -> its == 1 ? null : its - 1);
    }
  }

  @Override
  public void close() {
    items.close();
    queries.close();
    background.close();
    timer.setKeepAliveTime(1, TimeUnit.MILLISECONDS);
  }
}
