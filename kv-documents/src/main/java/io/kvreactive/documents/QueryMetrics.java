package io.kvreactive.documents;

import java.time.Duration;

/**
 * The cost of a query, or of one page.
 *
 * @param entriesRead the number of index entries read
 * @param retrievedItems the number of items loaded
 * @param retrievedBytes the stored size in bytes of the loaded items
 * @param candidates the number of vectors that approximate searches of vector indexes found
 * @param rankedVectors the number of vectors of vector indexes whose exact score was computed, to
 *     rank candidates or all vectors
 * @param outputItems the number of rows emitted
 * @param compileTime the time for parsing and planning; close to zero if the plan is cached
 * @param totalTime the time from the start to the last row, including the subscriber's pauses
 */
public record QueryMetrics(
    long entriesRead,
    long retrievedItems,
    long retrievedBytes,
    long candidates,
    long rankedVectors,
    long outputItems,
    Duration compileTime,
    Duration totalTime) {

  /**
   * Returns the number of rows per loaded item, at most 1: a measure of how well the indexes fit
   * the query.
   */
  public double indexHitRatio() {
    return retrievedItems == 0 ? 1 : Math.min(1, (double) outputItems / retrievedItems);
  }
}
