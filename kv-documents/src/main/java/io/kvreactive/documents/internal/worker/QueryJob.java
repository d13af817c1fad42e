package io.kvreactive.documents.internal.worker;

import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Scheduler;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * The work of one query: its limited processor time on workers, its share among the queries of its
 * caller, and its part of the memory of all queries. Tasks of a job run one after the other. {@link
 * #cancel} and {@link #close} are thread-safe.
 */
public final class QueryJob implements AutoCloseable {
  /** Processor time after which a query yields to new ones. */
  private static final long NEW_NANOS = 5_000_000;

  /** Processor time after which a query counts as one of its caller's long queries. */
  public static final long LONG_NANOS = 50_000_000;

  private final Workers workers;
  private final @Nullable String caller;
  private final WorkerPool.Lane lane;
  private final Scheduler scheduler;
  private final long maxNanos;
  private final Context context;
  private volatile boolean cancelled;
  private volatile @Nullable Thread waiter;
  private long nanos; // written by the thread that runs a task of the job
  private long limitStart; // the value of nanos at which the limit starts
  private boolean isLong;
  private long memory; // guarded by this
  private boolean closed;

  QueryJob(
      Workers workers,
      WorkerPool.Database database,
      @Nullable String caller,
      Duration maxTime,
      ContextView context) {
    this.workers = workers;
    this.caller = caller;
    this.lane = caller == null ? database.lane() : database.lane(caller);
    this.maxNanos = maxTime.toNanos();
    this.context = Context.of(context);
    this.scheduler = new LaneScheduler(lane, this, workers);
  }

  /** Returns the scheduler for all work of the query. */
  public Scheduler scheduler() {
    return scheduler;
  }

  boolean isNew() {
    return nanos < NEW_NANOS;
  }

  void used(long more) {
    nanos += more;
  }

  /**
   * Throws if the query was cancelled, has used its time, or exceeds its caller's limit of long
   * queries.
   *
   * @throws CancellationException if the query was cancelled
   * @throws DocumentException QUERY_BUDGET_EXCEEDED
   * @throws io.kvreactive.KvException OVERLOADED
   */
  public void check() {
    if (cancelled) {
      throw cancellation();
    }
    if (nanos >= LONG_NANOS) {
      checkLong();
    }
  }

  static CancellationException cancellation() {
    return new CancellationException("the query was cancelled");
  }

  /** Returns the context of the subscriber, for the reads of the query. */
  Context context() {
    return context;
  }

  /** Sets the thread that waits for a read, which a cancellation wakes; null for none. */
  void setWaiter(@Nullable Thread thread) {
    waiter = thread;
  }

  /**
   * Returns the result of work for the subscriber. If the query is cancelled meanwhile, the work
   * may end early or fail: it then has no result. No error is thrown, because a cancelled
   * subscriber cannot receive one.
   */
  public <T> @Nullable T unlessCancelled(Supplier<T> work) {
    try {
      return work.get();
    } catch (RuntimeException e) {
      if (!cancelled) {
        throw e;
      }
      return null;
    }
  }

  private void checkLong() {
    if (nanos - limitStart > maxNanos) {
      throw new DocumentException(
          DocumentErrorCode.QUERY_BUDGET_EXCEEDED,
          "The query has worked for more than "
              + Duration.ofNanos(maxNanos).toMillis()
              + " ms. Add an index that serves it, as its explanation advises, narrow it by WHERE,"
              + " TOP or LIMIT, read smaller pages, or raise maxQueryTime.");
    }
    if (!isLong) {
      begin();
    }
  }

  private synchronized void begin() {
    if (closed) {
      throw new CancellationException("the query has ended");
    }
    workers.beginLong(caller);
    isLong = true;
  }

  /** Restarts the time limit, as for the next page of a paged query. */
  public void renew() {
    limitStart = nanos;
  }

  /**
   * Restarts the time limit like {@link #renew}. The query waits, so that it does not count as a
   * long query meanwhile.
   */
  public void rest() {
    nanos = 0;
    limitStart = 0;
    synchronized (this) {
      endLong();
    }
  }

  /** Cancels the query: the next {@link #check} throws. */
  public void cancel() {
    cancelled = true;
    LockSupport.unpark(waiter);
  }

  public boolean isCancelled() {
    return cancelled;
  }

  /**
   * Takes memory of that of all queries, until {@link #give} or the end of the job.
   *
   * @throws CancellationException if the query has ended
   * @throws DocumentException QUERY_BUDGET_EXCEEDED
   */
  public synchronized void take(long bytes) {
    requireOpen();
    workers.queryMemory().take(caller, bytes);
    memory += bytes;
  }

  /**
   * Takes memory as {@link #take} does, or returns false if there is not so much left.
   *
   * @throws CancellationException if the query has ended
   */
  public synchronized boolean tryTake(long bytes) {
    requireOpen();
    boolean taken = workers.queryMemory().tryTake(caller, bytes);
    memory += taken ? bytes : 0;
    return taken;
  }

  private void requireOpen() {
    if (closed) {
      throw new CancellationException("the query has ended");
    }
  }

  /** Gives back a part of the memory that was taken. Has no effect after the end. */
  public synchronized void give(long bytes) {
    if (!closed) {
      workers.queryMemory().give(caller, bytes);
      memory -= bytes;
    }
  }

  private void endLong() {
    if (isLong) {
      isLong = false;
      workers.endLong(caller);
    }
  }

  /** Ends the work and releases its resources. Idempotent. */
  @Override
  public void close() {
    cancel();
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      endLong();
      workers.queryMemory().give(caller, memory);
    }
    if (caller != null) {
      lane.database().release(lane);
    }
  }
}
