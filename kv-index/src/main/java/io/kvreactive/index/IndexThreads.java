package io.kvreactive.index;

import io.kvreactive.KvException;
import io.kvreactive.index.internal.worker.Workers;
import io.kvreactive.internal.shared.ArgumentChecks;

/**
 * The threads that collections work on. A {@link DocumentStore} has private threads unless its
 * options name others. A program with many stores creates the threads once, passes them to all
 * stores by {@link DocumentStoreOptions#withThreads}, and closes them after the stores.
 *
 * <p>Operations on items, queries and background work have separate threads. Each group runs as
 * many threads at a time as there are cores; background work runs two. Work of more than a few
 * milliseconds yields to other work: queries take turns by database, and inside a database by
 * {@link QueryOptions#caller}. Threads are daemons named {@code kv-index-…}. They are started on
 * demand and end after ten idle seconds.
 */
public interface IndexThreads extends AutoCloseable {
  /** Creates threads with {@link Limits#NONE}. */
  static IndexThreads create() {
    return create(Limits.NONE);
  }

  /** Creates threads with limits. */
  static IndexThreads create(Limits limits) {
    return new Workers(limits);
  }

  /** Returns the heap in bytes that vector indexes use. */
  long vectorMemoryBytes();

  /** Returns the maximum heap in bytes that vector indexes use. */
  long maxVectorMemoryBytes();

  /** Lets the threads end when they have no work. Work that is still submitted is executed. */
  @Override
  void close();

  /**
   * Limits for all stores together. A query that would exceed a limit fails with OVERLOADED. A
   * query counts as long once it has worked for 50 ms, until it ends.
   *
   * @param maxLongQueries the maximum number of long queries
   * @param maxLongQueriesPerCaller the maximum number of long queries of one {@link
   *     QueryOptions#caller}; queries without a caller are not counted
   * @param maxVectorMemory the maximum heap in bytes of quantizedFlat and diskANN vector indexes;
   *     queries of an index beyond this limit read all of its vectors
   */
  record Limits(int maxLongQueries, int maxLongQueriesPerCaller, long maxVectorMemory) {
    /** No limits of queries, and a quarter of the heap for vector indexes. */
    public static final Limits NONE = new Limits(Integer.MAX_VALUE, Integer.MAX_VALUE);

    /** Creates limits of queries, with a quarter of the heap for vector indexes. */
    public Limits(int maxLongQueries, int maxLongQueriesPerCaller) {
      this(maxLongQueries, maxLongQueriesPerCaller, Runtime.getRuntime().maxMemory() / 4);
    }

    /** Returns these limits with another limit of the memory of vector indexes. */
    public Limits withMaxVectorMemory(long bytes) {
      return new Limits(maxLongQueries, maxLongQueriesPerCaller, bytes);
    }

    /**
     * Validates the limits.
     *
     * @throws KvException INVALID_ARGUMENT if a limit of queries is below 1 or the memory below 0
     */
    public Limits {
      ArgumentChecks.atLeast("maxLongQueries", maxLongQueries, 1);
      ArgumentChecks.atLeast("maxLongQueriesPerCaller", maxLongQueriesPerCaller, 1);
      ArgumentChecks.atLeast("maxVectorMemory", maxVectorMemory, 0);
    }
  }
}
