package io.kvreactive.documents.internal.exec;

import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.internal.eval.Budget;
import io.kvreactive.documents.internal.worker.QueryJob;
import io.kvreactive.documents.internal.worker.WorkerThread;
import java.util.concurrent.CancellationException;

/**
 * The budget of one query: memory held, which also counts for all queries together, rows looked at,
 * and time on workers. At each step the worker may yield.
 */
final class QueryBudget implements Budget {
  /** Maximum number of rows looked at for one item: some seconds of work. */
  private static final long MAX_STEPS_OF_ITEM = 50_000_000;

  /** Memory of a query that does not count for all queries: most hold less. */
  private static final long SMALL_BYTES = 64 << 10;

  /** Unit in which memory is taken from that of all queries. */
  private static final long UNIT_BYTES = 256 << 10;

  private final QueryJob job;
  private final long limit;
  private final long maxSteps;
  private long held;
  private long taken; // of the memory of all queries
  private long page; // rows of a page
  private long takenForPage;
  private long allocated; // values of the current item
  private long steps;
  private long stepsOfItem;
  private volatile boolean cancelled;

  /**
   * Creates a budget.
   *
   * @param limit the maximum number of bytes that the query may hold
   * @param maxSteps the maximum number of rows that the query may look at
   */
  QueryBudget(QueryJob job, long limit, long maxSteps) {
    this.job = job;
    this.limit = limit;
    this.maxSteps = maxSteps;
  }

  /** Counts the next item, and releases the values made for the last one. */
  void item() {
    stepsOfItem = 0;
    if (allocated > 0) {
      release(allocated);
      allocated = 0;
    }
  }

  /** Resets the budgets of steps and time, after each page of rows. */
  void renew() {
    steps = 0;
    item();
    job.renew();
  }

  void cancel() {
    cancelled = true;
  }

  @Override
  public void step() {
    if (cancelled) {
      throw new CancellationException("the query was cancelled");
    }
    job.check();
    if (++stepsOfItem > MAX_STEPS_OF_ITEM) {
      throw tooManySteps(MAX_STEPS_OF_ITEM + " rows for one item");
    }
    if (++steps > maxSteps) {
      throw tooManySteps(maxSteps + " rows");
    }
    WorkerThread.checkpoint();
  }

  private static DocumentException tooManySteps(String limit) {
    return new DocumentException(
        DocumentErrorCode.QUERY_BUDGET_EXCEEDED,
        "The query evaluates more than "
            + limit
            + ". JOINs and subqueries multiply the number of rows.");
  }

  @Override
  public void hold(long bytes) {
    held += bytes;
    if (held > limit) {
      throw exceeded("rows, groups, values or document ids", limit);
    }
    long more = missing(held, taken);
    if (more > 0) {
      job.take(more);
      taken += more;
    }
  }

  private static long missing(long held, long taken) {
    long units = (held - SMALL_BYTES - taken + UNIT_BYTES - 1) / UNIT_BYTES;
    return Math.max(0, units) * UNIT_BYTES;
  }

  /**
   * Holds a row of a page until the end of the query. Rows do not count against the limit of the
   * query, because pages have their own.
   *
   * @return false if all queries together, or those of the caller, would hold too much
   */
  boolean tryHoldRow(long bytes) {
    long more = missing(page + bytes, takenForPage);
    if (more > 0 && !job.tryTake(more)) {
      return false;
    }
    page += bytes;
    takenForPage += more;
    return true;
  }

  @Override
  public void release(long bytes) {
    held -= bytes;
    long spare = taken - Math.max(0, held - SMALL_BYTES);
    if (spare >= 2 * UNIT_BYTES || spare == taken && taken > 0) {
      long less = spare / UNIT_BYTES * UNIT_BYTES;
      job.give(less);
      taken -= less;
    }
  }

  /**
   * Changes the memory held by one part of the query.
   *
   * @return {@code now}
   */
  long resize(long before, long now) {
    if (now > before) {
      hold(now - before);
    } else {
      release(before - now);
    }
    return now;
  }

  @Override
  public void allocated(long bytes) {
    allocated += bytes;
    hold(bytes);
  }

  /** Returns the error of a query that would have to hold more than {@code limit} bytes. */
  static DocumentException exceeded(String what, long limit) {
    return new DocumentException(
        DocumentErrorCode.QUERY_BUDGET_EXCEEDED,
        "The query would have to hold "
            + what
            + " of more than "
            + limit
            + " bytes. Add an index that serves it, as its explanation advises, narrow it by"
            + " WHERE, TOP or LIMIT, or raise memoryBytes.");
  }
}
