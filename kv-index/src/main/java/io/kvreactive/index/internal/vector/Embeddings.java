package io.kvreactive.index.internal.vector;

import io.kvreactive.index.CollectionDefinition;
import io.kvreactive.index.VectorEmbedding;
import io.kvreactive.index.internal.path.PathParser;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The vector embedding policy of a collection, by path. */
public final class Embeddings {
  /** No embeddings. */
  public static final Embeddings NONE = new Embeddings(Map.of());

  private final Map<String, VectorEmbedding> byPath;

  private Embeddings(Map<String, VectorEmbedding> byPath) {
    this.byPath = byPath;
  }

  /** Returns the embeddings of a collection. */
  public static Embeddings of(CollectionDefinition definition) {
    if (definition.vectorEmbeddings().isEmpty()) {
      return NONE;
    }
    Map<String, VectorEmbedding> byPath = new HashMap<>();
    for (VectorEmbedding embedding : definition.vectorEmbeddings()) {
      byPath.put(PathParser.property(embedding.path()).text(), embedding);
    }
    return new Embeddings(byPath);
  }

  /**
   * Returns the embedding of a path, or null if it has none.
   *
   * @param path the canonical text
   */
  public @Nullable VectorEmbedding get(String path) {
    return byPath.get(path);
  }
}
