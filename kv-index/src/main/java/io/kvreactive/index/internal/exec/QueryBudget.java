package io.kvreactive.index.internal.exec;

import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.IndexException;
import io.kvreactive.index.internal.eval.Budget;
import java.util.concurrent.CancellationException;

/** What one query may hold, and whether anybody still wants its rows. */
final class QueryBudget implements Budget {
  /** Rows that one item may make the query look at: some seconds of work. */
  private static final long MAX_STEPS = 50_000_000;

  private final long limit;
  private long held;
  private long steps;
  private volatile boolean cancelled;

  QueryBudget(long bytes) {
    this.limit = bytes;
  }

  /** Another item is looked at. */
  void item() {
    steps = 0;
  }

  void cancel() {
    cancelled = true;
  }

  boolean isCancelled() {
    return cancelled;
  }

  @Override
  public void step() {
    if (cancelled) {
      throw new CancellationException("nobody waits for the rows any more");
    }
    if (++steps > MAX_STEPS) {
      throw new IndexException(
          IndexErrorCode.QUERY_BUDGET_EXCEEDED,
          "The query looks at more than "
              + MAX_STEPS
              + " rows for one item: its JOINs and subqueries multiply.");
    }
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
   * @param bytes that one part of the query holds
   * @throws IndexException QUERY_BUDGET_EXCEEDED
   */
  void check(long bytes, String what) {
    if (bytes > limit) {
      throw new IndexException(
          IndexErrorCode.QUERY_BUDGET_EXCEEDED,
          "The query would have to hold "
              + what
              + " of more than "
              + limit
              + " bytes. Add an index that serves it, as its explanation advises, narrow it by"
              + " WHERE, TOP or LIMIT, or raise memoryBytes.");
    }
  }
}
