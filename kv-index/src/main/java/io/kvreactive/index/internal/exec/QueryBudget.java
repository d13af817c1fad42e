package io.kvreactive.index.internal.exec;

import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.IndexException;
import io.kvreactive.index.internal.eval.Budget;
import java.util.concurrent.CancellationException;

/** What one query may hold, and whether anybody still wants its rows. */
final class QueryBudget implements Budget {
  private final long limit;
  private long held;
  private volatile boolean cancelled;

  QueryBudget(long bytes) {
    this.limit = bytes;
  }

  void cancel() {
    cancelled = true;
  }

  @Override
  public void step() {
    if (cancelled) {
      throw new CancellationException("nobody waits for the rows any more");
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
