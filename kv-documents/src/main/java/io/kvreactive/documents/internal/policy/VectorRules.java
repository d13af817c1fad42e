package io.kvreactive.documents.internal.policy;

import static io.kvreactive.documents.internal.policy.PolicyRules.invalid;

import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.VectorEmbedding;
import io.kvreactive.documents.VectorIndex;
import io.kvreactive.documents.internal.path.PathParser;
import io.kvreactive.documents.spi.IndexExtensions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Validates vector indexes and embeddings. */
final class VectorRules {
  static final int MAX_FLAT = 505;
  static final int MAX_DIMENSIONS = 4096;

  private static final Set<String> TYPES =
      Set.of(VectorIndex.FLAT, VectorIndex.QUANTIZED_FLAT, VectorIndex.DISK_ANN);
  private static final Set<String> DATA_TYPES = Set.of("float32", "float16", "int8", "uint8");
  private static final Set<String> DISTANCES = Set.of("cosine", "dotproduct", "euclidean");
  private static final Set<String> QUANTIZERS = Set.of("product", "spherical");

  private VectorRules() {}

  static void check(List<VectorIndex> indexes, List<VectorEmbedding> embeddings) {
    Map<String, VectorEmbedding> byPath = new HashMap<>();
    for (VectorEmbedding embedding : embeddings) {
      byPath.putIfAbsent(canonical(embedding.path()), embedding);
    }
    for (VectorIndex index : indexes) {
      if (!byPath.containsKey(canonical(index.path()))) {
        throw invalid(
            "The Vector Indexing Policy's path::"
                + AbbreviatedValue.text(index.path())
                + " not matching in Embedding's path.");
      }
    }
    for (VectorIndex index : indexes) {
      if (!TYPES.contains(index.type())) {
        throw invalid("Index Type::" + AbbreviatedValue.text(index.type()) + " is invalid");
      }
    }
    for (VectorIndex index : indexes) {
      VectorEmbedding embedding = byPath.get(canonical(index.path()));
      int most = index.type().equals(VectorIndex.FLAT) ? MAX_FLAT : MAX_DIMENSIONS;
      dimensions(embedding == null ? 0 : embedding.dimensions(), most);
    }
    embeddings(embeddings);
    indexes.forEach(VectorRules::sizes);
    indexes.forEach(VectorRules::shards);
  }

  /** Rejects valid index types for which the class path has no module. */
  static void checkSupported(List<VectorIndex> indexes) {
    for (VectorIndex index : indexes) {
      if (!index.type().equals(VectorIndex.FLAT)
          && IndexExtensions.neighborIndexes(index.type()) == null) {
        throw invalid("A vector index of type " + index.type() + " needs the module kv-vector.");
      }
    }
  }

  private static void dimensions(int dimensions, int most) {
    if (dimensions > most) {
      throw invalid(
          "Vector Embedding Policy has Dimensions:"
              + dimensions
              + " which is more than the maximum supported value "
              + most);
    }
    if (dimensions < 1) {
      throw invalid("Vector Embedding Policy has Dimensions:" + dimensions + ", fewer than 1");
    }
  }

  private static void embeddings(List<VectorEmbedding> embeddings) {
    Map<String, VectorEmbedding> seen = new HashMap<>();
    for (VectorEmbedding embedding : embeddings) {
      String shown = AbbreviatedValue.text(embedding.path());
      dimensions(embedding.dimensions(), MAX_DIMENSIONS);
      if (!DATA_TYPES.contains(embedding.dataType())) {
        throw invalid("The vector embedding of '" + shown + "' has an invalid DataType");
      }
      if (!DISTANCES.contains(embedding.distanceFunction())) {
        throw invalid("The vector embedding of '" + shown + "' has an invalid DistanceFunction");
      }
      try {
        if (seen.put(PathParser.property(embedding.path()).text(), embedding) != null) {
          throw invalid("There are two vector embeddings of '" + shown + "'.");
        }
      } catch (DocumentException e) {
        if (e.code() == DocumentErrorCode.INVALID_POLICY) {
          throw e;
        }
        throw new DocumentException(
            DocumentErrorCode.INVALID_PATH,
            "The vector embedding of '" + shown + "' has an invalid Path. " + e.detail(),
            e);
      }
    }
  }

  private static void sizes(VectorIndex index) {
    if (index.quantizerType() != null && !QUANTIZERS.contains(index.quantizerType())) {
      throw invalid(
          "quantizerType must be product or spherical, but is '"
              + AbbreviatedValue.text(index.quantizerType())
              + "'.");
    }
    range("quantizationByteSize", index.quantizationByteSize(), 1, 512);
    range("indexingSearchListSize", index.indexingSearchListSize(), 10, 500);
    boolean compressed = index.quantizationByteSize() != null || index.quantizerType() != null;
    if (compressed && index.type().equals(VectorIndex.FLAT)) {
      throw invalid("A flat vector index has no quantizationByteSize and no quantizerType.");
    }
    if (index.indexingSearchListSize() != null && !index.type().equals(VectorIndex.DISK_ANN)) {
      throw invalid("Only a diskANN vector index has an indexingSearchListSize.");
    }
  }

  private static void range(String member, @Nullable Integer value, int from, int to) {
    if (value != null && (value < from || value > to)) {
      throw invalid(
          member
              + " "
              + value
              + " is out of range. The allowed range is between "
              + from
              + " and "
              + to);
    }
  }

  private static void shards(VectorIndex index) {
    int count = index.vectorIndexShardKey().size();
    if (count > 1) {
      throw invalid("The number of shard paths " + count + " exceeds the maximum: 1.");
    }
    index.vectorIndexShardKey().forEach(PathParser::property);
  }

  /**
   * Returns the canonical form of a path, or the text if it is not a path: validation comes later.
   */
  private static String canonical(String path) {
    try {
      return PathParser.property(path).text();
    } catch (DocumentException e) {
      return path;
    }
  }
}
