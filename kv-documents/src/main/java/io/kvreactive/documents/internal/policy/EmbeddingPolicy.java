package io.kvreactive.documents.internal.policy;

import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.VectorEmbedding;
import io.kvreactive.documents.internal.path.PathParser;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The vector embedding policy of a collection, by path. */
public final class EmbeddingPolicy {
  /** The policy without embeddings. */
  public static final EmbeddingPolicy NONE = new EmbeddingPolicy(Map.of());

  private final Map<String, VectorEmbedding> byPath;

  private EmbeddingPolicy(Map<String, VectorEmbedding> byPath) {
    this.byPath = byPath;
  }

  /** Returns the embeddings of a collection. */
  public static EmbeddingPolicy of(CollectionDefinition definition) {
    if (definition.vectorEmbeddings().isEmpty()) {
      return NONE;
    }
    Map<String, VectorEmbedding> byPath = new HashMap<>();
    for (VectorEmbedding embedding : definition.vectorEmbeddings()) {
      byPath.put(PathParser.property(embedding.path()).text(), embedding);
    }
    return new EmbeddingPolicy(byPath);
  }

  /**
   * Returns the embedding of a path, or null if the path has none.
   *
   * @param path the canonical text of the path
   */
  public @Nullable VectorEmbedding get(String path) {
    return byPath.get(path);
  }
}
