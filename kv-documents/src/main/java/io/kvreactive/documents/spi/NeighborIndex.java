package io.kvreactive.documents.spi;

import java.io.DataOutput;
import java.io.IOException;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * An in-memory structure for approximate nearest-neighbor search. The vectors in the store are
 * authoritative; a lost structure is rebuilt from them.
 *
 * <p>One thread at a time changes and saves the structure. Any number of threads may search
 * meanwhile, and see every change that completed before the search began. Ids are positive.
 */
public interface NeighborIndex extends AutoCloseable {
  /** The filter that accepts all ids. */
  LongPredicate ALL = id -> true;

  /**
   * Adds a vector, replacing the previous vector of the id.
   *
   * @param stamp the stamp that {@link #stamp} returns for the id
   * @param vector a vector of the dimensions of the {@link NeighborSpec}, of finite numbers; for
   *     the cosine not all of them zero
   */
  void put(long id, long stamp, float[] vector);

  /**
   * Adds a vector to a shard of an index with shards; of other indexes, as {@link #put(long, long,
   * float[])}. A vector of the id in another shard is removed.
   *
   * @param shard the shard, at least 0
   */
  default void put(long id, long shard, long stamp, float[] vector) {
    put(id, stamp, vector);
  }

  /** Removes the vector of an id, if there is one. */
  void remove(long id);

  /** Returns the stamp of an id's vector, or null if the id has no vector. */
  @Nullable Long stamp(long id);

  /** Returns all ids. Must not run concurrently with changes. */
  LongStream ids();

  /** Returns the number of vectors. */
  int size();

  /** Returns the estimated heap in bytes. */
  long memoryBytes();

  /**
   * Returns ids of approximately the closest vectors, ordered by approximate distance.
   *
   * @param first the number of results that the caller needs: the search continues until they seem
   *     to be found
   * @param wanted the maximum number of ids
   * @param accepted the filter on ids
   */
  long[] search(float[] vector, int first, int wanted, LongPredicate accepted);

  /**
   * Returns ids of approximately the closest vectors of some shards, ordered by approximate
   * distance. Returns null if a shard is not {@linkplain #isSeparate separate}.
   */
  default long @Nullable [] search(
      float[] vector, int first, int wanted, long[] shards, LongPredicate accepted) {
    return null;
  }

  /** Returns true if a shard can be searched alone, because it has a structure of its own. */
  default boolean isSeparate(long shard) {
    return false;
  }

  /** Returns the number of structures whose results a search of the whole index merges. */
  default int structures() {
    return 1;
  }

  /**
   * Returns the probable cost of the next search of all vectors without a filter, as far as earlier
   * searches tell: the number of elements of vectors that a scan reads in the same time.
   */
  long searchCost();

  /** Returns true if {@link #search} orders ids by exact distance. */
  boolean isExact();

  /** Returns the vector of an id, or null if the exact vector is not known. */
  float @Nullable [] vector(long id);

  /**
   * Returns true for an index that was loaded without its vectors. In this state {@link #restore}
   * must be called for each vector, and then {@link #restored}. Before that only {@link #stamp} and
   * {@link #ids} are allowed.
   */
  default boolean needsVectors() {
    return false;
  }

  /** Restores the vector of an id; the vector must have the id's stamp. */
  default void restore(long id, float[] vector) {
    throw new IllegalStateException("the vectors were loaded");
  }

  /**
   * Completes the loading. Ids whose vectors were not restored are removed.
   *
   * @throws IOException if the saved data is damaged
   */
  default void restored() throws IOException {}

  /**
   * Searches for the next vectors that are due to be checked, each by itself, and adds to the index
   * what a search needs to find those that are not found.
   *
   * @param count the maximum number of vectors
   * @return true if more vectors are due
   */
  default boolean check(int count) {
    return false;
  }

  /** Compacts the index: removals only mark entries until then. */
  void tidy();

  /** Writes the whole index, for {@link IndexExtension#loadNeighborIndex}. */
  void save(DataOutput out) throws IOException;

  /** Frees resources beside the heap. Searches that have begun may continue. */
  @Override
  void close();
}
