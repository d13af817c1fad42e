package io.kvreactive.vector;

import io.github.jbellis.jvector.disk.RandomAccessReader;
import io.github.jbellis.jvector.graph.similarity.BuildScoreProvider;
import io.github.jbellis.jvector.graph.similarity.ScoreFunction;
import io.github.jbellis.jvector.vector.types.VectorFloat;
import io.kvreactive.index.spi.NeighborSpec;
import java.io.DataOutput;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The vectors of an index by ordinal, whole or compressed. One thread changes them; any number
 * reads those of ordinals that they were told after these were written.
 */
sealed interface IndexedVectors permits CompressedVectors, WholeVectors {
  /** Returns the ordinals. */
  Ordinals ordinals();

  /** Returns a vector as it is indexed. */
  VectorFloat<?> indexed(float[] vector);

  /** Returns the number of elements of a vector as it is indexed. */
  int dimensions();

  /** Sets the vector of an ordinal. */
  void set(int ordinal, VectorFloat<?> vector);

  /** Puts a vector at a new ordinal; the id must have none. */
  default int add(long id, long stamp, VectorFloat<?> vector) {
    int ordinal = ordinals().next();
    set(ordinal, vector);
    ordinals().give(id, stamp);
    return ordinal;
  }

  /** Returns the scores of ordinals for the vector of a query: higher is closer. */
  ScoreFunction scores(float[] vector);

  /** Returns the scores for building a graph. */
  BuildScoreProvider builds();

  /** Returns true if scores are those of the vectors, but for rounding. */
  boolean isExact();

  /** Returns the vector that was added for an ordinal, or null if that is not known exactly. */
  float @Nullable [] added(int ordinal);

  long memoryBytes();

  /** Writes the ordinals and what is not in the store. */
  void save(DataOutput out) throws IOException;

  /** Reads what was saved: vectors of either kind. */
  static IndexedVectors load(NeighborSpec spec, RandomAccessReader in) throws IOException {
    int format = in.readInt();
    return switch (format) {
      case CompressedVectors.FORMAT -> CompressedVectors.load(spec, in);
      case WholeVectors.FORMAT -> WholeVectors.load(spec, in);
      default -> throw new IOException("another format: " + format);
    };
  }
}
