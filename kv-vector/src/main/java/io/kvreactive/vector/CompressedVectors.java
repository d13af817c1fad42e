package io.kvreactive.vector;

import io.github.jbellis.jvector.disk.ByteBufferIndexWriter;
import io.github.jbellis.jvector.disk.RandomAccessReader;
import io.github.jbellis.jvector.graph.ListRandomAccessVectorValues;
import io.github.jbellis.jvector.graph.similarity.BuildScoreProvider;
import io.github.jbellis.jvector.graph.similarity.ScoreFunction;
import io.github.jbellis.jvector.quantization.MutablePQVectors;
import io.github.jbellis.jvector.quantization.ProductQuantization;
import io.github.jbellis.jvector.vector.VectorSimilarityFunction;
import io.github.jbellis.jvector.vector.types.ByteSequence;
import io.github.jbellis.jvector.vector.types.VectorFloat;
import io.kvreactive.documents.spi.NeighborSpec;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import org.jspecify.annotations.Nullable;

/**
 * Compressed vectors: the codes of a product quantization, one byte for each part of a vector. The
 * saved form includes the codes.
 */
final class CompressedVectors implements IndexedVectors {
  static final int FORMAT = 0x4b564e43; // KVNC
  private static final int CLUSTERS = 256;
  private static final int PQ_FORMAT = 5;

  private final VectorSpace space;
  private final ProductQuantization quantization;
  private final MutablePQVectors codes;
  private final Ordinals ordinals = new Ordinals();

  private CompressedVectors(VectorSpace space, ProductQuantization quantization) {
    this.space = space;
    this.quantization = quantization;
    this.codes = new MutablePQVectors(quantization);
  }

  /** Returns an empty set of codes, with a code book for vectors like those of a sample. */
  static CompressedVectors of(NeighborSpec spec, List<float[]> sample) {
    VectorSpace space = VectorSpace.of(spec, sample);
    List<VectorFloat<?>> vectors = new ArrayList<>();
    sample.forEach(vector -> vectors.add(space.stored(vector)));
    // a pool of its own, because the library's pool takes all processors
    ForkJoinPool pool = new ForkJoinPool(1);
    try {
      return new CompressedVectors(
          space,
          ProductQuantization.compute(
              new ListRandomAccessVectorValues(vectors, space.dimensions()),
              bytes(spec),
              CLUSTERS,
              true, // centred
              -1, // no anisotropic threshold
              pool,
              pool));
    } finally {
      pool.shutdown();
    }
  }

  private static int bytes(NeighborSpec spec) {
    Integer wanted = spec.codeBytes();
    int bytes = wanted == null ? NeighborSpec.defaultCodeBytes(spec.dimensions()) : wanted;
    return Math.min(bytes, spec.dimensions());
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
    codes.encodeAndSet(ordinal, vector);
  }

  @Override
  public ScoreFunction scores(float[] vector) {
    return codes.precomputedScoreFunctionFor(
        space.vector(space.query(vector)), VectorSimilarityFunction.EUCLIDEAN);
  }

  @Override
  public BuildScoreProvider builds() {
    return BuildScoreProvider.pqBuildScoreProvider(VectorSimilarityFunction.EUCLIDEAN, codes);
  }

  @Override
  public boolean isExact() {
    return false;
  }

  @Override
  public float @Nullable [] added(int ordinal) {
    return null;
  }

  @Override
  public long memoryBytes() {
    return quantization.ramBytesUsed()
        + (long) ordinals.limit() * (quantization.compressedVectorSize() + Ordinals.BYTES);
  }

  @Override
  public VectorFloat<?> at(int ordinal) {
    VectorFloat<?> decoded = space.zeros();
    quantization.decode(codes.get(ordinal), decoded);
    return decoded;
  }

  @Override
  public IndexedVectors empty() {
    return new CompressedVectors(space, quantization);
  }

  @Override
  public void saveForm(DataOutput out) throws IOException {
    int room = 1024 + 2 * CLUSTERS * Float.BYTES * (space.dimensions() + codes.getCompressedSize());
    ByteBufferIndexWriter pq = ByteBufferIndexWriter.create(room, false);
    quantization.write(pq, PQ_FORMAT);
    byte[] written = new byte[pq.bytesWritten()];
    pq.getWrittenData().get(written);
    out.writeInt(FORMAT);
    space.save(out);
    out.writeInt(quantization.compressedVectorSize());
    out.write(written);
  }

  @Override
  public void saveVectors(DataOutput out) throws IOException {
    ordinals.save(out);
    byte[] code = new byte[quantization.compressedVectorSize()];
    for (int ordinal = 0; ordinal < ordinals.limit(); ordinal++) {
      if (ordinals.id(ordinal) != 0) {
        ByteSequence<?> sequence = codes.get(ordinal);
        for (int i = 0; i < code.length; i++) {
          code[i] = sequence.get(i);
        }
        out.write(code);
      }
    }
  }

  static CompressedVectors loadForm(NeighborSpec spec, RandomAccessReader in) throws IOException {
    VectorSpace space = VectorSpace.load(spec, in);
    int bytes = in.readInt();
    if (spec.codeBytes() != null && bytes != bytes(spec)) {
      throw new IOException("codes of " + bytes + " bytes (expected: " + bytes(spec) + ")");
    }
    return new CompressedVectors(space, ProductQuantization.load(in));
  }

  @Override
  public void loadVectors(RandomAccessReader in) throws IOException {
    ordinals.load(in);
    byte[] code = new byte[quantization.compressedVectorSize()];
    for (int ordinal = 0; ordinal < ordinals.limit(); ordinal++) {
      codes.setZero(ordinal);
      if (ordinals.id(ordinal) != 0) {
        in.readFully(code);
        ByteSequence<?> sequence = codes.get(ordinal); // shares the bytes
        for (int i = 0; i < code.length; i++) {
          sequence.set(i, code[i]);
        }
      }
    }
  }
}
