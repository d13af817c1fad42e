package io.kvreactive.documents.internal.worker;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.documents.DocumentThreads;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;
import reactor.util.context.ContextView;

/**
 * The threads of collections: one pool each for item operations, queries and background work, so
 * that these do not wait for each other. Also limits the number of long queries.
 */
public final class Workers implements DocumentThreads {
  /**
   * Time slice of a task: half of the 5 ms that a task may run at most, because the work between
   * two checkpoints adds to the slice.
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
  private final QueryMemory queryMemory;
  private final HeldResults heldResults =
      new HeldResults(
          HeldResults.defaultBytes(), (work, seconds) -> after(work, seconds, TimeUnit.SECONDS));
  private final Map<String, Integer> longByCaller = new HashMap<>(); // guarded by this
  private int longQueries; // guarded by this

  public Workers(Limits limits) {
    this(limits, SLICE_NANOS);
  }

  /**
   * Creates pools with a custom time slice.
   *
   * @param sliceNanos the time that a task may keep a slot while other work waits
   */
  public Workers(Limits limits, long sliceNanos) {
    this.timer =
        new ScheduledThreadPoolExecutor(
            1,
            work -> {
              Thread thread = new Thread(work, "kv-documents-timer");
              thread.setDaemon(true);
              return thread;
            });
    timer.setRemoveOnCancelPolicy(true);
    timer.setKeepAliveTime(TIMER_IDLE_MILLIS, TimeUnit.MILLISECONDS);
    timer.allowCoreThreadTimeOut(true);
    int cores = Math.max(2, Runtime.getRuntime().availableProcessors());
    this.items = new WorkerPool("kv-documents-items", cores, sliceNanos, this::soon);
    this.queries = new WorkerPool("kv-documents-queries", cores, sliceNanos, this::soon);
    this.background =
        new WorkerPool("kv-documents-background", BACKGROUND_SLOTS, sliceNanos, this::soon);
    this.limits = limits;
    this.vectorMemory = new VectorMemory(limits.maxVectorMemory());
    this.queryMemory = new QueryMemory(limits.maxQueryMemory());
  }

  /** The share of one database in the threads. */
  public final class Share {
    private final WorkerPool.Database queryLanes = queries.database();
    private final Scheduler itemScheduler = scheduler(items);
    private final Scheduler backgroundScheduler = scheduler(background);

    private Scheduler scheduler(WorkerPool pool) {
      return new LaneScheduler(pool.database().lane(), null, Workers.this);
    }

    /** Returns the memory limit of vector indexes. */
    public VectorMemory vectorMemory() {
      return vectorMemory;
    }

    /** Returns the results of queries that are held for their later pages. */
    public HeldResults heldResults() {
      return heldResults;
    }

    /** Returns the scheduler for item operations, which are short. */
    public Scheduler items() {
      return itemScheduler;
    }

    /** Returns the scheduler for background work. */
    public Scheduler background() {
      return backgroundScheduler;
    }

    /**
     * Starts the work of a query, which must be closed.
     *
     * @param caller the caller of the query; null to leave the query out of the limits per caller
     * @param maxTime the maximum processor time
     * @param context the context of the query's subscriber
     */
    public QueryJob query(@Nullable String caller, Duration maxTime, ContextView context) {
      return new QueryJob(Workers.this, queryLanes, caller, maxTime, context);
    }
  }

  @Override
  public long vectorMemoryBytes() {
    return vectorMemory.usedBytes();
  }

  @Override
  public long maxVectorMemoryBytes() {
    return vectorMemory.maxBytes();
  }

  @Override
  public long queryMemoryBytes() {
    return queryMemory.usedBytes();
  }

  @Override
  public long maxQueryMemoryBytes() {
    return queryMemory.maxBytes();
  }

  QueryMemory queryMemory() {
    return queryMemory;
  }

  /** Adds a database and returns its share. */
  public Share share() {
    return new Share();
  }

  Disposable after(Runnable work, long delay, TimeUnit unit) {
    ScheduledFuture<?> waiting = timer.schedule(work, delay, unit);
    return () -> waiting.cancel(false);
  }

  private void soon(Runnable work) {
    var unused = timer.schedule(work, 1, TimeUnit.MILLISECONDS);
  }

  /** Counts another long query, unless the limit is reached. */
  synchronized void beginLong(@Nullable String caller) {
    if (longQueries >= limits.maxLongQueries()) {
      throw overloaded("long queries at a time", limits.maxLongQueries());
    }
    if (caller != null) {
      int running = longByCaller.getOrDefault(caller, 0);
      if (running >= limits.maxLongQueriesPerCaller()) {
        throw overloaded("long queries of one caller at a time", limits.maxLongQueriesPerCaller());
      }
      longByCaller.put(caller, running + 1);
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
      longByCaller.computeIfPresent(caller, (key, running) -> running == 1 ? null : running - 1);
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
