package io.kvreactive.documents;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An index of vectors.
 *
 * @param path the path of a {@link VectorEmbedding} of the collection
 * @param type the type of the index: {@code flat}, {@code quantizedFlat} or {@code diskANN}
 * @param quantizerType the quantizer: {@code product} or {@code spherical}
 * @param quantizationByteSize the size of a compressed vector in bytes, 1 to 512
 * @param indexingSearchListSize the number of candidates kept while the graph is built, 10 to 500
 * @param vectorIndexShardKey at most one path; each of its values has a separate graph
 */
public record VectorIndex(
    String path,
    String type,
    @Nullable String quantizerType,
    @Nullable Integer quantizationByteSize,
    @Nullable Integer indexingSearchListSize,
    List<String> vectorIndexShardKey) {
  /** The type of an index whose vectors are all read for each query. */
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
