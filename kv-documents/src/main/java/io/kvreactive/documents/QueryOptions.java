package io.kvreactive.documents;

import io.kvreactive.KvException;
import io.kvreactive.internal.shared.ArgumentChecks;
import org.immutables.value.Value;
import org.jspecify.annotations.Nullable;

/**
 * Options of a query. Immutable; start from {@link #DEFAULT}.
 *
 * @param plannerMode the rules by which indexes may serve the query
 * @param forceScan true to read every item and use no index, for comparison
 * @param enableScan true if the query may read every item because no index serves it; otherwise it
 *     fails with SCAN_NOT_ENABLED. This applies to every query to which EXPLAIN gives the class
 *     {@code fullScan}, including {@code SELECT *} without a condition
 * @param maxItemCount the maximum number of rows of a page, from 1 to 100,000
 * @param continuation the continuation token of an earlier page of the same query; empty to start
 * @param memoryBytes the maximum memory in bytes for sorting, grouping and DISTINCT
 * @param maxPageBytes the approximate maximum number of bytes of JSON per page, at least 1; a
 *     larger page ends early, with at least one row. So does one for which {@link
 *     DocumentThreads.Limits} leaves no memory
 * @param caller the caller for whom the query runs, or null. Queries of different callers take
 *     turns, and the limits per caller of {@link DocumentThreads.Limits} apply. Not part of
 *     continuation tokens
 * @param partitionKey the partition key of the items that the query reads, or its first values;
 *     null for all partitions. A query within one partition key reads the ids and items of that
 *     partition only; of a partition of more than 1,000 items, an index may find the items instead
 * @param explain true to add an {@link Explanation} with the operators that ran to a page; no
 *     effect on rows without pages
 */
@Value.Builder
public record QueryOptions(
    PlannerMode plannerMode,
    boolean forceScan,
    boolean enableScan,
    int maxItemCount,
    String continuation,
    long memoryBytes,
    long maxPageBytes,
    @Nullable String caller,
    @Nullable PartitionKey partitionKey,
    boolean explain)
    implements WithQueryOptions {

  /** The rules by which indexes may serve a query. */
  public enum PlannerMode {
    /** The rules that Azure Cosmos DB documents. */
    STRICT,
    /** The strict rules, and prefixes of composite indexes; the rows are the same. */
    EXTENDED
  }

  /** Strict planner, scans enabled, 1000 rows or 4 MiB per page, 64 MiB of memory. */
  public static final QueryOptions DEFAULT =
      new QueryOptionsBuilder()
          .plannerMode(PlannerMode.STRICT)
          .forceScan(false)
          .enableScan(true)
          .maxItemCount(1000)
          .continuation("")
          .memoryBytes(64L << 20)
          .maxPageBytes(4L << 20)
          .explain(false)
          .build();

  /**
   * Validates the options.
   *
   * @throws KvException INVALID_ARGUMENT if a value is out of its range
   */
  public QueryOptions {
    ArgumentChecks.between("maxItemCount", maxItemCount, 1, 100_000);
    ArgumentChecks.atLeast("memoryBytes", memoryBytes, 1);
    ArgumentChecks.atLeast("maxPageBytes", maxPageBytes, 1);
  }
}
