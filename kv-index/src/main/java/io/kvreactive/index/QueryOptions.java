package io.kvreactive.index;

import org.jspecify.annotations.Nullable;

/**
 * How to run a query. Immutable; start from {@link #DEFAULT}.
 *
 * @param plannerMode which indexes may serve what
 * @param forceScan whether to read every item whatever indexes there are: to compare with
 * @param enableScan whether a query may read every item because no index serves it, else it fails
 *     with SCAN_NOT_ENABLED: whatever EXPLAIN gives the class {@code fullScan}, {@code SELECT *}
 *     without a condition too
 * @param maxItemCount most rows of a page, from 1 to 100,000
 * @param continuation where an earlier page of the same query ended; empty to start
 * @param memoryBytes how much a query may hold for sorting, grouping and DISTINCT, in bytes
 * @param maxPageBytes about how many bytes of JSON the rows of a page may have, from 1 on: a page
 *     of more ends early, with one row at least
 * @param caller whose query it is: queries of different callers take turns, and limits of {@link
 *     IndexThreads.Limits} per caller count by it; null for nobody's. No part of continuations
 */
public record QueryOptions(
    PlannerMode plannerMode,
    boolean forceScan,
    boolean enableScan,
    int maxItemCount,
    String continuation,
    long memoryBytes,
    long maxPageBytes,
    @Nullable String caller) {

  /** Which indexes may serve what. */
  public enum PlannerMode {
    /** What Azure Cosmos DB documents. */
    STRICT,
    /** Also the start of a composite index; the rows are the same. */
    EXTENDED
  }

  /** Strict, with scans, 1000 rows or 4 MiB a page, 64 MiB to hold. */
  public static final QueryOptions DEFAULT =
      new QueryOptions(PlannerMode.STRICT, false, true, 1000, "", 64L << 20, 4L << 20);

  /** Options without a caller. */
  public QueryOptions(
      PlannerMode plannerMode,
      boolean forceScan,
      boolean enableScan,
      int maxItemCount,
      String continuation,
      long memoryBytes,
      long maxPageBytes) {
    this(
        plannerMode,
        forceScan,
        enableScan,
        maxItemCount,
        continuation,
        memoryBytes,
        maxPageBytes,
        null);
  }

  /**
   * @throws IndexException INVALID_ARGUMENT
   */
  public QueryOptions {
    if (maxItemCount < 1 || maxItemCount > 100_000) {
      throw new IndexException(
          IndexErrorCode.INVALID_ARGUMENT,
          "maxItemCount: " + maxItemCount + " (expected: 1 to 100000)");
    }
    if (memoryBytes < 1) {
      throw new IndexException(
          IndexErrorCode.INVALID_ARGUMENT, "memoryBytes: " + memoryBytes + " (expected: >= 1)");
    }
    if (maxPageBytes < 1) {
      throw new IndexException(
          IndexErrorCode.INVALID_ARGUMENT, "maxPageBytes: " + maxPageBytes + " (expected: >= 1)");
    }
  }

  /** In that mode. */
  public QueryOptions withPlannerMode(PlannerMode mode) {
    return new QueryOptions(
        mode, forceScan, enableScan, maxItemCount, continuation, memoryBytes, maxPageBytes, caller);
  }

  /** Without indexes, or with them. */
  public QueryOptions withForceScan(boolean force) {
    return new QueryOptions(
        plannerMode,
        force,
        enableScan,
        maxItemCount,
        continuation,
        memoryBytes,
        maxPageBytes,
        caller);
  }

  /** Reading every item where no index serves, or refusing to. */
  public QueryOptions withEnableScan(boolean enable) {
    return new QueryOptions(
        plannerMode,
        forceScan,
        enable,
        maxItemCount,
        continuation,
        memoryBytes,
        maxPageBytes,
        caller);
  }

  /** At most so many rows a page. */
  public QueryOptions withMaxItemCount(int count) {
    return new QueryOptions(
        plannerMode, forceScan, enableScan, count, continuation, memoryBytes, maxPageBytes, caller);
  }

  /** Going on behind an earlier page. */
  public QueryOptions withContinuation(String continuation) {
    return new QueryOptions(
        plannerMode,
        forceScan,
        enableScan,
        maxItemCount,
        continuation,
        memoryBytes,
        maxPageBytes,
        caller);
  }

  /** Holding at most so much. */
  public QueryOptions withMemoryBytes(long bytes) {
    return new QueryOptions(
        plannerMode,
        forceScan,
        enableScan,
        maxItemCount,
        continuation,
        bytes,
        maxPageBytes,
        caller);
  }

  /** At most about so many bytes a page. */
  public QueryOptions withMaxPageBytes(long bytes) {
    return new QueryOptions(
        plannerMode, forceScan, enableScan, maxItemCount, continuation, memoryBytes, bytes, caller);
  }

  /** Of that caller. */
  public QueryOptions withCaller(@Nullable String caller) {
    return new QueryOptions(
        plannerMode,
        forceScan,
        enableScan,
        maxItemCount,
        continuation,
        memoryBytes,
        maxPageBytes,
        caller);
  }
}
