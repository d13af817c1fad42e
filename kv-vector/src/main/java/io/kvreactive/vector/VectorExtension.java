package io.kvreactive.vector;

import io.github.jbellis.jvector.disk.ByteBufferReader;
import io.kvreactive.index.VectorIndex;
import io.kvreactive.index.spi.IndexExtension;
import io.kvreactive.index.spi.NeighborIndex;
import io.kvreactive.index.spi.NeighborSpec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

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
    if (!isGraph(spec)) {
      return new CompressedScan(CompressedVectors.of(spec, sample));
    }
    return new NeighborGraph(
        spec,
        spec.codeBytes() == null
            ? new WholeVectors(VectorSpace.of(spec, sample))
            : CompressedVectors.of(spec, sample));
  }

  @Override
  public NeighborIndex loadNeighborIndex(NeighborSpec spec, ByteBuffer saved) throws IOException {
    try (ByteBufferReader in = new ByteBufferReader(saved)) {
      IndexedVectors vectors = IndexedVectors.load(spec, in);
      if (isGraph(spec)) {
        return NeighborGraph.load(spec, vectors, in);
      }
      if (vectors instanceof CompressedVectors codes) {
        return new CompressedScan(codes);
      }
      throw new IOException("whole vectors (expected: compressed ones)");
    } catch (RuntimeException e) { // the library does not validate the data that it reads
      throw new IOException("a damaged index of vectors", e);
    }
  }

  private static boolean isGraph(NeighborSpec spec) {
    return spec.type().equals(VectorIndex.DISK_ANN);
  }
}
