package io.kvreactive.vector;

import io.github.jbellis.jvector.disk.RandomAccessReader;
import io.github.jbellis.jvector.graph.RandomAccessVectorValues;
import io.github.jbellis.jvector.graph.similarity.BuildScoreProvider;
import io.github.jbellis.jvector.graph.similarity.DefaultSearchScoreProvider;
import io.github.jbellis.jvector.graph.similarity.ScoreFunction;
import io.github.jbellis.jvector.vector.VectorSimilarityFunction;
import io.github.jbellis.jvector.vector.types.VectorFloat;
import io.kvreactive.index.spi.NeighborSpec;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Vectors with all of their elements. The saved form omits the elements, which are in the store.
 */
final class WholeVectors implements IndexedVectors, RandomAccessVectorValues {
  static final int FORMAT = 0x4b564e57; // KVNW
  private static final int OBJECT_BYTES = 48;

  private final VectorSpace space;
  private final Ordinals ordinals = new Ordinals();
  private volatile @Nullable VectorFloat<?>[] vectors = new VectorFloat<?>[1024];

  WholeVectors(VectorSpace space) {
    this.space = space;
  }

  @Override
  public Ordinals ordinals() {
    return ordinals;
  }

  @Override
  public VectorFloat<?> indexed(float[] vector) {
    return space.stored(vector);
  }

  @Override
  public int dimensions() {
    return space.dimensions();
  }

  @Override
  public void set(int ordinal, VectorFloat<?> vector) {
    if (ordinal >= vectors.length) {
      vectors = Arrays.copyOf(vectors, Math.max(ordinal + 1, 2 * vectors.length));
    }
    vectors[ordinal] = vector;
  }

  @Override
  public ScoreFunction scores(float[] vector) {
    return DefaultSearchScoreProvider.exact(
            space.query(vector), VectorSimilarityFunction.EUCLIDEAN, this)
        .scoreFunction();
  }

  @Override
  public BuildScoreProvider builds() {
    return BuildScoreProvider.randomAccessScoreProvider(this, VectorSimilarityFunction.EUCLIDEAN);
  }

  @Override
  public boolean isExact() {
    return true;
  }

  @Override
  public float @Nullable [] added(int ordinal) {
    return space.added(getVector(ordinal));
  }

  @Override
  public long memoryBytes() {
    return (long) ordinals.limit()
        * ((long) dimensions() * Float.BYTES + OBJECT_BYTES + Ordinals.BYTES);
  }

  @Override
  public VectorFloat<?> at(int ordinal) {
    return getVector(ordinal);
  }

  @Override
  public IndexedVectors empty() {
    return new WholeVectors(space);
  }

  @Override
  public void saveForm(DataOutput out) throws IOException {
    out.writeInt(FORMAT);
    space.save(out);
  }

  @Override
  public void saveVectors(DataOutput out) throws IOException {
    ordinals.save(out);
  }

  /** Reads saved ordinals; the vectors must be set afterwards. */
  @Override
  public void loadVectors(RandomAccessReader in) throws IOException {
    ordinals.load(in);
  }

  static WholeVectors loadForm(NeighborSpec spec, RandomAccessReader in) throws IOException {
    if (spec.codeBytes() != null) {
      throw new IOException("whole vectors (expected: compressed ones)");
    }
    return new WholeVectors(VectorSpace.load(spec, in));
  }

  /** Sets zero vectors for ids without a vector, and returns these ids. */
  long[] fill() {
    VectorFloat<?> zeros = space.zeros();
    return IntStream.range(0, ordinals.limit())
        .filter(ordinal -> ordinals.id(ordinal) != 0)
        .filter(ordinal -> ordinal >= vectors.length || vectors[ordinal] == null)
        .peek(ordinal -> set(ordinal, zeros))
        .mapToLong(ordinals::id)
        .toArray();
  }

  // ---- RandomAccessVectorValues of the library

  @Override
  public int size() {
    return ordinals.limit();
  }

  @Override
  public int dimension() {
    return space.dimensions();
  }

  @Override
  public VectorFloat<?> getVector(int ordinal) {
    return Objects.requireNonNull(vectors[ordinal]);
  }

  @Override
  public boolean isValueShared() {
    return false;
  }

  @Override
  public RandomAccessVectorValues copy() {
    return this;
  }
}
