package io.kvreactive.index;

import io.kvreactive.index.internal.worker.Workers;

/**
 * The threads that collections work on. A {@link DocumentStore} has threads of its own unless its
 * options name some; a program with many stores creates them once, hands them to all by {@link
 * DocumentStoreOptions#withThreads}, and closes them after the stores.
 *
 * <p>Operations on items, queries and background work have separate threads, as many running at a
 * time as there are cores (two in the background). Work that takes longer than a few milliseconds
 * yields to other work: queries take turns by database, and in a database by {@link
 * QueryOptions#caller}. Threads are daemons named {@code kv-index-…}, are started when there is
 * work and end after ten idle seconds.
 */
public interface IndexThreads extends AutoCloseable {
  /** Threads with {@link Limits#NONE}. */
  static IndexThreads create() {
    return create(Limits.NONE);
  }

  /** Threads with limits. */
  static IndexThreads create(Limits limits) {
    return new Workers(limits);
  }

  /** Returns the bytes of heap that vector indexes take. */
  long vectorMemoryBytes();

  /** Lets the threads end when they have no work. Work that is still asked for is done. */
  @Override
  void close();

  /**
   * Limits of all stores together. A query that would exceed its limit fails with OVERLOADED. A
   * query is long when it has worked for 50 ms, until it ends.
   *
   * @param maxLongQueries the maximum number of long queries
   * @param maxLongQueriesPerCaller the maximum number of long queries of one {@link
   *     QueryOptions#caller}; those without a caller are not counted
   * @param maxVectorMemory the maximum number of bytes of heap that quantizedFlat and diskANN
   *     vector indexes take; queries of an index that has no room read all of its vectors
   */
  record Limits(int maxLongQueries, int maxLongQueriesPerCaller, long maxVectorMemory) {
    /** No limits of queries, and a quarter of the heap for vector indexes. */
    public static final Limits NONE = new Limits(Integer.MAX_VALUE, Integer.MAX_VALUE);

    /** Limits of queries, and a quarter of the heap for vector indexes. */
    public Limits(int maxLongQueries, int maxLongQueriesPerCaller) {
      this(maxLongQueries, maxLongQueriesPerCaller, Runtime.getRuntime().maxMemory() / 4);
    }

    /** These limits with another one of the memory of vector indexes. */
    public Limits withMaxVectorMemory(long bytes) {
      return new Limits(maxLongQueries, maxLongQueriesPerCaller, bytes);
    }

    /**
     * @throws IndexException INVALID_ARGUMENT for a limit below 1, of memory below 0
     */
    public Limits {
      check("maxLongQueries", maxLongQueries);
      check("maxLongQueriesPerCaller", maxLongQueriesPerCaller);
      if (maxVectorMemory < 0) {
        throw new IndexException(
            IndexErrorCode.INVALID_ARGUMENT,
            "maxVectorMemory: " + maxVectorMemory + " (expected: >= 0)");
      }
    }

    private static void check(String name, int value) {
      if (value < 1) {
        throw new IndexException(
            IndexErrorCode.INVALID_ARGUMENT, name + ": " + value + " (expected: >= 1)");
      }
    }
  }
}
