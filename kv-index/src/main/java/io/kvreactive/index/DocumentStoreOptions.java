package io.kvreactive.index;

import java.time.Duration;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * Options of a document store. Immutable; start from {@link #DEFAULT}.
 *
 * @param root the first part of all keys that collections use in the store
 * @param clock the clock of {@code _ts} and expiry; {@link InstantSource#system()} stands for the
 *     clock of the store, which tolerates wrong readings of the wall clock
 * @param allowLazy true if collections may change to the indexing mode lazy, which otherwise fails
 *     with INVALID_POLICY; lazy collections may keep their mode
 * @param background true if this instance builds indexes and removes expired items; several
 *     instances may do so without conflict
 * @param threads the threads to work on; null for private threads, which are closed with the
 *     document store
 * @param maxQuerySteps the maximum number of rows that a query may look at for one page, with JOINs
 *     and subqueries multiplied; a query without pages counts as pages of 1,000 rows
 * @param maxQueryTime the maximum time that a query may occupy a worker for one page, without
 *     waiting time; a query without pages counts as pages of 1,000 rows
 */
public record DocumentStoreOptions(
    String root,
    InstantSource clock,
    boolean allowLazy,
    boolean background,
    @Nullable IndexThreads threads,
    long maxQuerySteps,
    Duration maxQueryTime) {
  private static final long DEFAULT_STEPS = 1_000_000_000;
  private static final Duration DEFAULT_TIME = Duration.ofSeconds(60);

  /**
   * Default options: root {@code "kvi"}, the store's clock, no lazy collections, private threads,
   * and a billion steps and 60 seconds per page of a query.
   */
  public static final DocumentStoreOptions DEFAULT =
      new DocumentStoreOptions("kvi", InstantSource.system(), false, true);

  /** Creates options with private threads and the default budgets of queries. */
  public DocumentStoreOptions(
      String root, InstantSource clock, boolean allowLazy, boolean background) {
    this(root, clock, allowLazy, background, null, DEFAULT_STEPS, DEFAULT_TIME);
  }

  /**
   * Validates the options.
   *
   * @throws IndexException INVALID_ARGUMENT if a budget is not positive
   */
  public DocumentStoreOptions {
    if (maxQuerySteps < 1) {
      throw new IndexException(
          IndexErrorCode.INVALID_ARGUMENT, "maxQuerySteps: " + maxQuerySteps + " (expected: >= 1)");
    }
    if (maxQueryTime.compareTo(Duration.ofMillis(1)) < 0
        || maxQueryTime.compareTo(Duration.ofDays(365)) > 0) {
      throw new IndexException(
          IndexErrorCode.INVALID_ARGUMENT,
          "maxQueryTime: " + maxQueryTime + " (expected: 1 ms to 365 days)");
    }
  }

  private DocumentStoreOptions with(boolean lazy, boolean works) {
    return new DocumentStoreOptions(root, clock, lazy, works, threads, maxQuerySteps, maxQueryTime);
  }

  /** Returns these options with another first key part. */
  public DocumentStoreOptions withRoot(String root) {
    return new DocumentStoreOptions(
        root, clock, allowLazy, background, threads, maxQuerySteps, maxQueryTime);
  }

  /** Returns these options with another clock. */
  public DocumentStoreOptions withClock(InstantSource clock) {
    return new DocumentStoreOptions(
        root, clock, allowLazy, background, threads, maxQuerySteps, maxQueryTime);
  }

  /** Returns these options with or without permission for lazy collections. */
  public DocumentStoreOptions withAllowLazy(boolean allowLazy) {
    return with(allowLazy, background);
  }

  /**
   * Returns these options with or without background work. Without background work in any instance,
   * the indexes of lazy collections lag behind.
   */
  public DocumentStoreOptions withBackground(boolean background) {
    return with(allowLazy, background);
  }

  /**
   * Returns these options with threads that the caller closes, or with private threads for null.
   */
  public DocumentStoreOptions withThreads(@Nullable IndexThreads threads) {
    return new DocumentStoreOptions(
        root, clock, allowLazy, background, threads, maxQuerySteps, maxQueryTime);
  }

  /** Returns these options with another budget of steps for a page of a query. */
  public DocumentStoreOptions withMaxQuerySteps(long steps) {
    return new DocumentStoreOptions(
        root, clock, allowLazy, background, threads, steps, maxQueryTime);
  }

  /** Returns these options with another budget of time for a page of a query. */
  public DocumentStoreOptions withMaxQueryTime(Duration time) {
    return new DocumentStoreOptions(
        root, clock, allowLazy, background, threads, maxQuerySteps, time);
  }
}
