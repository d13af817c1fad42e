package io.kvreactive.documents.internal.eval;

/**
 * The resource limits of a run, checked in every loop. A budget stops the run by throwing if a
 * limit is exceeded, or if the run was cancelled.
 */
public interface Budget {
  /** Counts a small piece of work: a row, an element, a call. */
  void step();

  /** Counts memory that is kept from now on, as estimated by {@link MemoryEstimator}. */
  void hold(long bytes);

  /** Releases memory that was held. */
  void release(long bytes);

  /**
   * Counts the memory of a large value that was made for the current item. It is held until the
   * next item, because several such values may be alive at a time.
   */
  default void allocated(long bytes) {}

  /** Returns a budget without limits. */
  static Budget unlimited() {
    return UnlimitedBudget.INSTANCE;
  }
}
