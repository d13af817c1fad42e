package io.kvreactive;

import java.time.Duration;

/**
 * How long something took lately: over the last one to two minutes. Percentiles and the maximum are
 * exact to 1 %; all are zero when nothing was measured.
 *
 * @param count how many times it was measured
 * @param p50 half took no longer
 * @param p90 nine of ten took no longer
 * @param p99 99 of 100 took no longer
 * @param p999 999 of 1000 took no longer
 * @param max the longest
 * @param mean on average
 */
public record LatencySummary(
    long count,
    Duration p50,
    Duration p90,
    Duration p99,
    Duration p999,
    Duration max,
    Duration mean) {
  /** Of nothing. */
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
