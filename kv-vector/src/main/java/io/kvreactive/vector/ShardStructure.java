package io.kvreactive.vector;

import io.github.jbellis.jvector.vector.types.VectorFloat;
import io.kvreactive.documents.spi.NeighborIndex;
import java.io.DataOutput;
import java.io.IOException;
import java.util.PriorityQueue;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * A structure of one set of vectors: all vectors of an index without shards, the vectors of one
 * shard, or those of all small shards together.
 */
sealed interface ShardStructure extends NeighborIndex permits NeighborGraph, CompressedScan {
  /**
   * The result of a search, the closest first.
   *
   * @param scores the scores of the ids, comparable among structures whose vectors have the same
   *     form; higher is closer
   */
  record Found(long[] ids, float[] scores) {
    static Found of(int size) {
      return new Found(new long[size], new float[size]);
    }
  }

  /** Returns the vectors. */
  IndexedVectors vectors();

  /** Adds a vector in its indexed form; the id must not have a vector. */
  void add(long id, long stamp, VectorFloat<?> indexed);

  /**
   * Returns what {@link #search} returns, with scores.
   *
   * @param best the scores of the first results of the structures searched before, to which those
   *     of this one are added: the search continues until it seems to have found its part of them
   */
  Found find(
      float[] vector, int first, int wanted, LongPredicate accepted, PriorityQueue<Float> best);

  /** Removes the vectors of ids that have one. */
  void removeAll(long[] ids);

  /** Writes all that is not written with the vectors. */
  void saveEdges(DataOutput out) throws IOException;

  @Override
  default void remove(long id) {
    removeAll(new long[] {id});
  }

  @Override
  default void put(long id, long stamp, float[] vector) {
    remove(id);
    add(id, stamp, vectors().indexed(vector));
  }

  @Override
  default long[] search(float[] vector, int first, int wanted, LongPredicate accepted) {
    return find(vector, first, wanted, accepted, new PriorityQueue<>()).ids();
  }

  @Override
  default @Nullable Long stamp(long id) {
    return vectors().ordinals().stamp(id);
  }

  @Override
  default LongStream ids() {
    return vectors().ordinals().ids();
  }

  @Override
  default int size() {
    return vectors().ordinals().size();
  }

  @Override
  default boolean isExact() {
    return vectors().isExact();
  }

  @Override
  default void save(DataOutput out) throws IOException {
    tidy();
    vectors().saveForm(out);
    vectors().saveVectors(out);
    saveEdges(out);
  }
}
