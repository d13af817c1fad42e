package io.kvreactive.documents;

import io.kvreactive.KvException;
import io.kvreactive.internal.shared.ArgumentChecks;
import java.time.Duration;
import java.time.InstantSource;
import org.immutables.value.Value;
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
 *     instances may do so without conflict. If none does, the indexes of lazy collections lag
 *     behind
 * @param threads the threads to work on, which the caller closes; null for private threads, which
 *     are closed with the document store
 * @param maxQuerySteps the maximum number of rows that a query may look at for one page, with JOINs
 *     and subqueries multiplied; a query without pages counts as pages of 1,000 rows
 * @param maxQueryTime the maximum time that a query may occupy a worker for one page, without
 *     waiting time; a query without pages counts as pages of 1,000 rows
 */
@Value.Builder
public record DocumentStoreOptions(
    String root,
    InstantSource clock,
    boolean allowLazy,
    boolean background,
    @Nullable DocumentThreads threads,
    long maxQuerySteps,
    Duration maxQueryTime)
    implements WithDocumentStoreOptions {
  /**
   * Default options: root {@code "kvi"}, the store's clock, no lazy collections, private threads,
   * and a billion steps and 60 seconds per page of a query.
   */
  public static final DocumentStoreOptions DEFAULT =
      new DocumentStoreOptionsBuilder()
          .root("kvi")
          .clock(InstantSource.system())
          .allowLazy(false)
          .background(true)
          .maxQuerySteps(1_000_000_000)
          .maxQueryTime(Duration.ofSeconds(60))
          .build();

  /**
   * Validates the options.
   *
   * @throws KvException INVALID_ARGUMENT if a budget is not positive
   */
  public DocumentStoreOptions {
    ArgumentChecks.atLeast("maxQuerySteps", maxQuerySteps, 1);
    ArgumentChecks.between(
        "maxQueryTime", maxQueryTime, Duration.ofMillis(1), Duration.ofDays(365));
  }
}
