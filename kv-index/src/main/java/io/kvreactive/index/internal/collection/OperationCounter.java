package io.kvreactive.index.internal.collection;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the user operations on the collections of a store, so that background work can yield to
 * them. Thread-safe.
 */
public final class OperationCounter {
  private final LongAdder operations = new LongAdder();

  /** Counts an operation. */
  public void operation() {
    operations.increment();
  }

  /** Returns the number of operations so far. */
  public long operations() {
    return operations.sum();
  }
}
