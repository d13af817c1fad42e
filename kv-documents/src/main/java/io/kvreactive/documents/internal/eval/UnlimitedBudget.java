package io.kvreactive.documents.internal.eval;

/** A budget without limits. */
enum UnlimitedBudget implements Budget {
  INSTANCE;

  @Override
  public void step() {}

  @Override
  public void hold(long bytes) {}

  @Override
  public void release(long bytes) {}
}
