package io.kvreactive;

import java.time.Duration;

/**
 * A summary of the durations measured in the last one to two minutes. Percentiles and the maximum
 * are accurate to 1 %; all are zero if nothing was measured.
 *
 * @param count the number of measurements
 * @param p50 the median
 * @param p90 the 90th percentile
 * @param p99 the 99th percentile
 * @param p999 the 99.9th percentile
 * @param max the maximum
 * @param mean the mean
 */
public record LatencySummary(
    long count,
    Duration p50,
    Duration p90,
    Duration p99,
    Duration p999,
    Duration max,
    Duration mean) {
  /** The summary of no measurements. */
  public static final LatencySummary NONE =
      new LatencySummary(
          0,
          Duration.ZERO,
          Duration.ZERO,
          Duration.ZERO,
          Duration.ZERO,
          Duration.ZERO,
          Duration.ZERO);
}
