package io.kvreactive.index.spi;

import java.io.DataOutput;
import java.io.IOException;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * A structure in memory that finds vectors close to another one: an approximation, beside the
 * vectors in the store, which are what counts. It is made again from these if it is lost.
 *
 * <p>One thread at a time changes and saves it; any number may search meanwhile, and see a vector
 * that was put or removed before they began. Ids are positive.
 */
public interface NeighborIndex extends AutoCloseable {
  /**
   * Puts a vector in place of the one that the id had.
   *
   * @param stamp what {@link #stamp} tells of it
   * @param vector as long as the {@link NeighborSpec} says, of finite numbers; with the cosine not
   *     all of them zero
   */
  void put(long id, long stamp, float[] vector);

  /** Removes a vector, if there is one. */
  void remove(long id);

  /** Returns the stamp of the vector of an id, or null if it has none. */
  @Nullable Long stamp(long id);

  /** Returns all ids; not while it is changed. */
  LongStream ids();

  /** Returns the number of vectors. */
  int size();

  /** Returns the bytes of heap that it takes, estimated. */
  long memoryBytes();

  /**
   * Returns ids of vectors that are close to a vector, approximately the closest, in the order of
   * approximate distance.
   *
   * @param first how many of them the caller wants in the end: the search goes on until these seem
   *     to be found
   * @param wanted the maximum number of ids
   * @param accepted which ids may be returned
   */
  long[] search(float[] vector, int first, int wanted, LongPredicate accepted);

  /** Returns true if {@link #search} gives ids in the order of the distance itself. */
  boolean isExact();

  /** Returns the vector that was put for an id, or null if that is not known exactly. */
  float @Nullable [] vector(long id);

  /**
   * Returns true for one that was loaded without its vectors: {@link #restore} is to be called for
   * each of them, and {@link #restored}, before anything else than {@link #stamp} and {@link #ids}.
   */
  default boolean needsVectors() {
    return false;
  }

  /** Sets the vector of an id that has the stamp of it. */
  default void restore(long id, float[] vector) {
    throw new IllegalStateException("the vectors were loaded");
  }

  /**
   * Ends the loading. Ids whose vectors were not restored are removed.
   *
   * @throws IOException if what was saved is damaged
   */
  default void restored() throws IOException {}

  /** Does what changes have left to be done: what they have removed is only marked so far. */
  void tidy();

  /** Writes all of it, for {@link IndexExtension#loadNeighborIndex}. */
  void save(DataOutput out) throws IOException;

  /** Frees what it has beside the heap. Searches that have begun may go on. */
  @Override
  void close();
}
