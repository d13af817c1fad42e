package io.kvreactive.documents.internal.eval;

/** The budget of a part of a query. Closing releases all memory that the part still holds. */
public final class ScopedBudget implements Budget, AutoCloseable {
  private final Budget budget;
  private long held;

  public ScopedBudget(Budget budget) {
    this.budget = budget;
  }

  @Override
  public void step() {
    budget.step();
  }

  @Override
  public void hold(long bytes) {
    held += bytes;
    budget.hold(bytes);
  }

  @Override
  public void release(long bytes) {
    held -= bytes;
    budget.release(bytes);
  }

  @Override
  public void allocated(long bytes) {
    budget.allocated(bytes);
  }

  @Override
  public void close() {
    release(held);
  }
}
