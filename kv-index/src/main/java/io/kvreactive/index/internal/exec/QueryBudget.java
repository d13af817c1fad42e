package io.kvreactive.index.internal.exec;

import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.IndexException;
import io.kvreactive.index.internal.eval.Budget;
import io.kvreactive.index.internal.worker.QueryJob;
import io.kvreactive.index.internal.worker.WorkerThread;
import java.util.concurrent.CancellationException;

/**
 * The budget of one query: memory held, rows looked at, and time on workers. At each step the
 * worker may yield.
 */
final class QueryBudget implements Budget {
  /** Maximum number of rows looked at for one item: some seconds of work. */
  private static final long MAX_STEPS_OF_ITEM = 50_000_000;

  private final QueryJob job;
  private final long limit;
  private final long maxSteps;
  private long held;
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

  /** Counts the next item. */
  void item() {
    stepsOfItem = 0;
  }

  /** Resets the budgets of steps and time, after each page of rows. */
  void renew() {
    steps = 0;
    stepsOfItem = 0;
    job.renew();
  }

  void cancel() {
    cancelled = true;
  }

  boolean isCancelled() {
    return cancelled || job.isCancelled();
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

  private static IndexException tooManySteps(String limit) {
    return new IndexException(
        IndexErrorCode.QUERY_BUDGET_EXCEEDED,
        "The query evaluates more than "
            + limit
            + ". JOINs and subqueries multiply the number of rows.");
  }

  @Override
  public void hold(long bytes) {
    held += bytes;
    check(held, "rows, groups or values");
  }

  @Override
  public void release(long bytes) {
    held -= bytes;
  }

  /**
   * Checks the memory held by one part of the query.
   *
   * @param bytes the number of bytes held
   * @throws IndexException QUERY_BUDGET_EXCEEDED if the memory exceeds the limit
   */
  void check(long bytes, String what) {
    if (bytes > limit) {
      throw exceeded(what, limit);
    }
  }

  /** Returns the error of a query that would have to hold more than {@code limit} bytes. */
  static IndexException exceeded(String what, long limit) {
    return new IndexException(
        IndexErrorCode.QUERY_BUDGET_EXCEEDED,
        "The query would have to hold "
            + what
            + " of more than "
            + limit
            + " bytes. Add an index that serves it, as its explanation advises, narrow it by"
            + " WHERE, TOP or LIMIT, or raise memoryBytes.");
  }
}
