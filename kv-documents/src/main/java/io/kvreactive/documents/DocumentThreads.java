package io.kvreactive.documents;

import io.kvreactive.KvException;
import io.kvreactive.documents.internal.worker.Workers;
import io.kvreactive.internal.shared.ArgumentChecks;

/**
 * The threads that collections work on. A {@link DocumentStore} has private threads unless its
 * options name others. A program with many stores creates the threads once, passes them to all
 * stores by {@link DocumentStoreOptions#withThreads}, and closes them after the stores.
 *
 * <p>Operations on items, queries and background work have separate threads. Each group runs as
 * many threads at a time as there are cores; background work runs two. Work of more than a few
 * milliseconds yields to other work: queries take turns by database, and inside a database by
 * {@link QueryOptions#caller}. Threads are daemons named {@code kv-documents-…}. They are started
 * on demand and end after ten idle seconds.
 */
public interface DocumentThreads extends AutoCloseable {
  /** Creates threads with {@link Limits#NONE}. */
  static DocumentThreads create() {
    return create(Limits.NONE);
  }

  /** Creates threads with limits. */
  static DocumentThreads create(Limits limits) {
    return new Workers(limits);
  }

  /** Returns the heap in bytes that vector indexes use. */
  long vectorMemoryBytes();

  /** Returns the maximum heap in bytes that vector indexes use. */
  long maxVectorMemoryBytes();

  /** Returns the heap in bytes that running queries hold. */
  long queryMemoryBytes();

  /** Returns the maximum heap in bytes that running queries hold. */
  long maxQueryMemoryBytes();

  /** Lets the threads end when they have no work. Work that is still submitted is executed. */
  @Override
  void close();

  /**
   * Limits for all stores together. A query that would exceed a limit of long queries fails with
   * OVERLOADED. A query counts as long once it has worked for 50 ms, until it ends.
   *
   * @param maxLongQueries the maximum number of long queries
   * @param maxLongQueriesPerCaller the maximum number of long queries of one {@link
   *     QueryOptions#caller}; queries without a caller are not counted
   * @param maxVectorMemory the maximum heap in bytes of quantizedFlat and diskANN vector indexes;
   *     queries of an index beyond this limit read all of its vectors
   * @param maxQueryMemory the maximum heap in bytes of what running queries hold for sorting,
   *     grouping, DISTINCT and large values, of which the queries of one caller hold at most half;
   *     a query beyond this limit fails with QUERY_BUDGET_EXCEEDED. {@link
   *     QueryOptions#memoryBytes} limits each query. The first 64 KiB of a query do not count
   */
  record Limits(
      int maxLongQueries, int maxLongQueriesPerCaller, long maxVectorMemory, long maxQueryMemory) {
    /**
     * No limits of long queries, a quarter of the heap for vector indexes, and a sixth for queries.
     */
    public static final Limits NONE = new Limits(Integer.MAX_VALUE, Integer.MAX_VALUE);

    /**
     * Creates limits of long queries, with a quarter of the heap for vector indexes and a sixth for
     * queries.
     */
    public Limits(int maxLongQueries, int maxLongQueriesPerCaller) {
      this(
          maxLongQueries,
          maxLongQueriesPerCaller,
          Runtime.getRuntime().maxMemory() / 4,
          Runtime.getRuntime().maxMemory() / 6);
    }

    /** Returns these limits with another limit of the memory of vector indexes. */
    public Limits withMaxVectorMemory(long bytes) {
      return new Limits(maxLongQueries, maxLongQueriesPerCaller, bytes, maxQueryMemory);
    }

    /** Returns these limits with another limit of the memory of queries. */
    public Limits withMaxQueryMemory(long bytes) {
      return new Limits(maxLongQueries, maxLongQueriesPerCaller, maxVectorMemory, bytes);
    }

    /**
     * Validates the limits.
     *
     * @throws KvException INVALID_ARGUMENT if a limit of queries is below 1 or a memory below 0
     */
    public Limits {
      ArgumentChecks.atLeast("maxLongQueries", maxLongQueries, 1);
      ArgumentChecks.atLeast("maxLongQueriesPerCaller", maxLongQueriesPerCaller, 1);
      ArgumentChecks.atLeast("maxVectorMemory", maxVectorMemory, 0);
      ArgumentChecks.atLeast("maxQueryMemory", maxQueryMemory, 0);
    }
  }
}
