package io.kvreactive.index.internal.worker;

import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.IndexException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Scheduler;

/**
 * The work of one query: its time on workers, which is limited, and its place among the queries of
 * its caller. Tasks of a job follow each other; {@link #cancel} and {@link #close} are thread-safe.
 */
public final class QueryJob implements AutoCloseable {
  /** Time after which a query gives way to new ones. */
  private static final long NEW_NANOS = 5_000_000;

  /** Time after which a query counts as one of its caller's long ones. */
  public static final long LONG_NANOS = 50_000_000;

  private final Workers workers;
  private final @Nullable String caller;
  private final WorkerPool.Lane lane;
  private final Scheduler scheduler;
  private final long maxNanos;
  private volatile boolean cancelled;
  private long nanos; // written by the thread that runs a task of the job
  private long limited; // nanos from which the limit counts
  private boolean isLong;
  private boolean closed;

  QueryJob(
      Workers workers, WorkerPool.Database database, @Nullable String caller, Duration maxTime) {
    this.workers = workers;
    this.caller = caller;
    this.lane = caller == null ? database.lane() : database.lane(caller);
    this.maxNanos = maxTime.toNanos();
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
   * Ends the work of a query that was cancelled, has used its time, or is one too many of its
   * caller's long queries.
   *
   * @throws CancellationException when it was cancelled
   * @throws IndexException QUERY_BUDGET_EXCEEDED
   * @throws io.kvreactive.KvException OVERLOADED
   */
  public void check() {
    if (cancelled) {
      throw new CancellationException("the query was cancelled");
    }
    if (nanos >= LONG_NANOS) {
      checkLong();
    }
  }

  private void checkLong() {
    if (nanos - limited > maxNanos) {
      throw new IndexException(
          IndexErrorCode.QUERY_BUDGET_EXCEEDED,
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

  /** Starts the limit of time again, as for the next page of a query that is read in pages. */
  public void renew() {
    limited = nanos;
  }

  /** Like {@link #renew}; the query waits for something, so that it is no long one meanwhile. */
  public void rest() {
    nanos = 0;
    limited = 0;
    synchronized (this) {
      endLong();
    }
  }

  /** Makes the next {@link #check} throw. */
  public void cancel() {
    cancelled = true;
  }

  public boolean isCancelled() {
    return cancelled;
  }

  private void endLong() {
    if (isLong) {
      isLong = false;
      workers.endLong(caller);
    }
  }

  /** Ends the work and gives back what it took. Idempotent. */
  @Override
  public void close() {
    cancelled = true;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      endLong();
    }
    if (caller != null) {
      lane.database().release(lane);
    }
  }
}
