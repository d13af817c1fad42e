package io.kvreactive.documents.internal.exec;

import java.util.List;

/**
 * An operator of a running query, which passes on candidates or rows batch by batch and counts
 * them. Calls must not overlap.
 *
 * @param <E> the type of what it passes on
 */
abstract class Operator<E> {
  private final OperatorStats stats;

  Operator(OperatorStats stats) {
    this.stats = stats;
  }

  /**
   * Returns the next elements; may return none before the end.
   *
   * @param wanted the approximate number of elements
   */
  List<E> next(int wanted) {
    return stats.pass(more(wanted));
  }

  /** Returns the elements for {@link #next}, which counts them. */
  abstract List<E> more(int wanted);

  /** Returns true if the last element was returned. */
  abstract boolean done();

  /** Returns the counts of this operator. */
  final OperatorStats stats() {
    return stats;
  }

  /** Returns a loader of candidates, which is an input of this operator. */
  final ItemLoader newLoader(SnapshotReader reader, OperatorStats... inputs) {
    ItemLoader loading = new ItemLoader(reader, inputs);
    stats.add(loading.stats());
    return loading;
  }
}
