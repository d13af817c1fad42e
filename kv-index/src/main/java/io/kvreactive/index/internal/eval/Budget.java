package io.kvreactive.index.internal.eval;

/**
 * What a run may cost. It is asked in every loop, and stops the run by throwing: when too much is
 * used, or when nobody wants the answer any more.
 */
public interface Budget {
  /** A small piece of work: a row, an element, a call. */
  void step();

  /** Memory that is kept from now on, as estimated by {@link MemoryEstimator}. */
  void hold(long bytes);

  /** Memory that was held and is not any more. */
  void release(long bytes);

  /** Never stops anything. */
  static Budget unlimited() {
    return UnlimitedBudget.INSTANCE;
  }
}
