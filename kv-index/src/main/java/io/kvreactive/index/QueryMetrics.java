package io.kvreactive.index;

import java.time.Duration;

/**
 * What a query, or a page of one, cost.
 *
 * @param entriesRead entries of indexes that were read
 * @param retrievedItems items that were loaded
 * @param retrievedBytes their size as stored
 * @param outputItems rows that came out
 * @param compileTime for parsing and planning; next to nothing when the plan is known already
 * @param totalTime from the start to the last row, the subscriber's pauses included
 */
public record QueryMetrics(
    long entriesRead,
    long retrievedItems,
    long retrievedBytes,
    long outputItems,
    Duration compileTime,
    Duration totalTime) {

  /** Rows for each item that was loaded, at most 1: how well the indexes fit the query. */
  public double indexHitRatio() {
    return retrievedItems == 0 ? 1 : Math.min(1, (double) outputItems / retrievedItems);
  }
}
