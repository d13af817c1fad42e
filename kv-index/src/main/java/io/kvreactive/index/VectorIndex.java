package io.kvreactive.index;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An index of vectors.
 *
 * @param path that of a {@link VectorEmbedding} of the collection
 * @param type {@code flat}, {@code quantizedFlat} or {@code diskANN}
 * @param quantizerType {@code product} or {@code spherical}
 * @param quantizationByteSize bytes of a compressed vector, 1 to 512
 * @param indexingSearchListSize how many candidates are kept while the graph is built, 10 to 500
 * @param vectorIndexShardKey at most one path; each value of it gets its own graph
 */
public record VectorIndex(
    String path,
    String type,
    @Nullable String quantizerType,
    @Nullable Integer quantizationByteSize,
    @Nullable Integer indexingSearchListSize,
    List<String> vectorIndexShardKey) {
  /** The type of an index that is read as a whole for each query. */
  public static final String FLAT = "flat";

  /** The type of an index whose compressed vectors are read for each query. */
  public static final String QUANTIZED_FLAT = "quantizedFlat";

  /** The type of an index with a graph of neighbours. */
  public static final String DISK_ANN = "diskANN";

  public VectorIndex {
    vectorIndexShardKey = List.copyOf(vectorIndexShardKey);
  }

  public VectorIndex(String path, String type) {
    this(path, type, null, null, null, List.of());
  }
}
