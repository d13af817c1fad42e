package io.kvreactive.vector;

import io.github.jbellis.jvector.disk.RandomAccessReader;
import io.github.jbellis.jvector.graph.similarity.BuildScoreProvider;
import io.github.jbellis.jvector.graph.similarity.ScoreFunction;
import io.github.jbellis.jvector.vector.types.VectorFloat;
import io.kvreactive.documents.spi.NeighborSpec;
import java.io.DataOutput;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The vectors of an index by ordinal, whole or compressed. One thread writes. Any thread may read
 * the vectors of ordinals published to it after they were written.
 */
sealed interface IndexedVectors permits CompressedVectors, WholeVectors {
  /** Returns the ordinals of the vectors. */
  Ordinals ordinals();

  /** Returns the indexed form of a vector. */
  VectorFloat<?> indexed(float[] vector);

  /** Returns the number of elements of an indexed vector. */
  int dimensions();

  /** Sets the vector of an ordinal. */
  void set(int ordinal, VectorFloat<?> vector);

  /** Adds a vector at a new ordinal; the id must not have an ordinal. */
  default int add(long id, long stamp, VectorFloat<?> vector) {
    int ordinal = ordinals().next();
    set(ordinal, vector);
    ordinals().give(id, stamp);
    return ordinal;
  }

  /** Returns the indexed form of the vector of an ordinal, as far as it is known. */
  VectorFloat<?> at(int ordinal);

  /** Returns an empty set of vectors of the same form, whose scores are comparable with these. */
  IndexedVectors empty();

  /** Returns the scores of ordinals for a query vector: higher is closer. */
  ScoreFunction scores(float[] vector);

  /**
   * Returns scores that lead a search through a graph to the closest vectors: {@link #scores}, or
   * approximate ones that take less time.
   */
  default ScoreFunction guides(float[] vector) {
    return scores(vector);
  }

  /** Returns the guides of a search for the vector of an ordinal. */
  default ScoreFunction guides(int ordinal) {
    return builds().searchProviderFor(ordinal).scoreFunction();
  }

  /** Returns true if there are {@link #bounds} of distances. */
  default boolean hasBounds() {
    return false;
  }

  /**
   * Returns lower bounds of the distances to a query vector, by which a scan finds the vectors
   * whose scores it must compute.
   */
  default BinaryCodes.Bounds bounds(float[] vector) {
    throw new IllegalStateException("no bounds");
  }

  /** Returns the scores for building a graph. */
  BuildScoreProvider builds();

  /** Returns true if scores are exact except for rounding. */
  boolean isExact();

  /** Returns the vector that was added for an ordinal, or null if it is not known exactly. */
  float @Nullable [] added(int ordinal);

  long memoryBytes();

  /** Writes the form of the vectors. */
  void saveForm(DataOutput out) throws IOException;

  /** Writes the ordinals and all data of vectors that is not in the store. */
  void saveVectors(DataOutput out) throws IOException;

  /** Reads saved vectors into an empty set of the same form. */
  void loadVectors(RandomAccessReader in) throws IOException;

  /** Reads a saved form of either kind, and returns an empty set of such vectors. */
  static IndexedVectors loadForm(NeighborSpec spec, RandomAccessReader in) throws IOException {
    int format = in.readInt();
    return switch (format) {
      case CompressedVectors.FORMAT -> CompressedVectors.loadForm(spec, in);
      case WholeVectors.FORMAT -> WholeVectors.loadForm(spec, in);
      default -> throw new IOException("another format: " + format);
    };
  }
}
