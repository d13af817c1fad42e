package io.kvreactive.index;

import java.time.Duration;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * How collections are kept. Immutable; start from {@link #DEFAULT}.
 *
 * @param root first part of all keys that collections use in the store
 * @param clock the clock of {@code _ts} and expiry; {@link InstantSource#system()} stands for the
 *     clock of the store, which no wrong reading of the wall clock spoils
 * @param allowLazy whether collections may get the indexing mode lazy, else INVALID_POLICY; those
 *     that have it may keep it
 * @param background whether this one builds indexes and removes expired items; several may, they do
 *     not get into each other's way
 * @param threads the threads to work on; null for threads of its own, closed with it
 * @param maxQuerySteps the maximum number of rows that a query may look at for one page, JOINs and
 *     subqueries multiplied; a query without pages counts as pages of 1,000 rows
 * @param maxQueryTime the maximum time that a query may occupy a worker for one page, without the
 *     time that it waits; a query without pages counts as pages of 1,000 rows
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
   * Below {@code "kvi"}, by the store's clock, without lazy collections, on threads of its own; a
   * page of a query may take a billion steps and 60 seconds.
   */
  public static final DocumentStoreOptions DEFAULT =
      new DocumentStoreOptions("kvi", InstantSource.system(), false, true);

  /** Options with threads of its own and the default budgets of queries. */
  public DocumentStoreOptions(
      String root, InstantSource clock, boolean allowLazy, boolean background) {
    this(root, clock, allowLazy, background, null, DEFAULT_STEPS, DEFAULT_TIME);
  }

  /**
   * @throws IndexException INVALID_ARGUMENT for a budget that is not positive
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

  /** Below another first key part. */
  public DocumentStoreOptions withRoot(String root) {
    return new DocumentStoreOptions(
        root, clock, allowLazy, background, threads, maxQuerySteps, maxQueryTime);
  }

  /** By another clock. */
  public DocumentStoreOptions withClock(InstantSource clock) {
    return new DocumentStoreOptions(
        root, clock, allowLazy, background, threads, maxQuerySteps, maxQueryTime);
  }

  /** With lazy collections, or without. */
  public DocumentStoreOptions withAllowLazy(boolean allowLazy) {
    return with(allowLazy, background);
  }

  /**
   * With background work, or leaving that to others: indexes of lazy collections lag until somebody
   * does it.
   */
  public DocumentStoreOptions withBackground(boolean background) {
    return with(allowLazy, background);
  }

  /** On threads that the caller closes, or with null on threads of its own. */
  public DocumentStoreOptions withThreads(@Nullable IndexThreads threads) {
    return new DocumentStoreOptions(
        root, clock, allowLazy, background, threads, maxQuerySteps, maxQueryTime);
  }

  /** With another budget of steps for a page of a query. */
  public DocumentStoreOptions withMaxQuerySteps(long steps) {
    return new DocumentStoreOptions(
        root, clock, allowLazy, background, threads, steps, maxQueryTime);
  }

  /** With another budget of time for a page of a query. */
  public DocumentStoreOptions withMaxQueryTime(Duration time) {
    return new DocumentStoreOptions(
        root, clock, allowLazy, background, threads, maxQuerySteps, time);
  }
}
