package io.kvreactive.documents.internal.eval;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;

/**
 * A budget of steps and bytes for one run, with a checkpoint at each step. Used by one thread at a
 * time, but any thread may cancel it.
 */
public final class LimitedBudget implements Budget {
  private final long maxSteps;
  private final long maxBytes;
  private long steps;
  private long bytes;
  private volatile boolean cancelled;

  public LimitedBudget(long maxSteps, long maxBytes) {
    this.maxSteps = maxSteps;
    this.maxBytes = maxBytes;
  }

  /** Cancels the run: its next step throws. */
  public void cancel() {
    cancelled = true;
  }

  public long steps() {
    return steps;
  }

  public long bytes() {
    return bytes;
  }

  @Override
  public void step() {
    checkpoint();
    steps++;
    if (steps > maxSteps) {
      throw exceeded("does more than " + maxSteps + " steps");
    } else if (cancelled) {
      throw exceeded("was cancelled");
    }
  }

  @Override
  public void hold(long more) {
    bytes += more;
    if (bytes > maxBytes) {
      throw exceeded("has to keep more than " + maxBytes + " bytes in memory");
    }
  }

  @Override
  public void release(long less) {
    bytes -= less;
  }

  @Override
  public void allocated(long more) {
    hold(more);
  }

  private static DocumentException exceeded(String what) {
    return new DocumentException(
        DocumentErrorCode.QUERY_BUDGET_EXCEEDED, "The query " + what + ".");
  }
}
