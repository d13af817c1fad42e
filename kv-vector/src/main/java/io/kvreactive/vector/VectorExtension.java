package io.kvreactive.vector;

import io.github.jbellis.jvector.disk.ByteBufferReader;
import io.github.jbellis.jvector.disk.RandomAccessReader;
import io.kvreactive.documents.VectorIndex;
import io.kvreactive.documents.spi.IndexExtension;
import io.kvreactive.documents.spi.NeighborIndex;
import io.kvreactive.documents.spi.NeighborSpec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import org.jspecify.annotations.Nullable;

/** The extension with the vector indexes of the types quantizedFlat and diskANN, by JVector. */
public final class VectorExtension implements IndexExtension {
  /** Creates the extension; called by {@link java.util.ServiceLoader}. */
  public VectorExtension() {}

  @Override
  public boolean supportsNeighborIndex(String type) {
    return type.equals(VectorIndex.QUANTIZED_FLAT) || type.equals(VectorIndex.DISK_ANN);
  }

  @Override
  public NeighborIndex newNeighborIndex(NeighborSpec spec, List<float[]> sample) {
    IndexedVectors vectors =
        isGraph(spec) && spec.codeBytes() == null
            ? new WholeVectors(VectorSpace.of(spec, sample))
            : CompressedVectors.of(spec, sample);
    return spec.isSharded() ? new ShardedNeighbors(spec, vectors) : empty(spec, vectors, null);
  }

  /** Returns an empty structure. */
  static ShardStructure empty(
      NeighborSpec spec, IndexedVectors vectors, @Nullable ForkJoinPool pool) {
    return vectors instanceof CompressedVectors codes && !isGraph(spec)
        ? new CompressedScan(codes)
        : new NeighborGraph(spec, vectors, pool);
  }

  @Override
  public NeighborIndex loadNeighborIndex(NeighborSpec spec, ByteBuffer saved) throws IOException {
    try (ByteBufferReader in = new ByteBufferReader(saved)) {
      if (spec.isSharded()) {
        return ShardedNeighbors.load(spec, in);
      }
      IndexedVectors vectors = IndexedVectors.loadForm(spec, in);
      vectors.loadVectors(in);
      return load(spec, vectors, null, in);
    } catch (RuntimeException e) { // the library does not validate the data that it reads
      throw new IOException("a damaged index of vectors", e);
    }
  }

  /** Reads a saved structure after its vectors. */
  static ShardStructure load(
      NeighborSpec spec, IndexedVectors vectors, @Nullable ForkJoinPool pool, RandomAccessReader in)
      throws IOException {
    if (isGraph(spec)) {
      return NeighborGraph.load(spec, vectors, pool, in);
    }
    if (vectors instanceof CompressedVectors codes) {
      return new CompressedScan(codes);
    }
    throw new IOException("whole vectors (expected: compressed ones)");
  }

  private static boolean isGraph(NeighborSpec spec) {
    return spec.type().equals(VectorIndex.DISK_ANN);
  }
}
