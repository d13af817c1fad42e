package io.kvreactive.examples.similar;

import io.kvreactive.Kv;
import io.kvreactive.LoadProgress;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.VectorEmbedding;
import io.kvreactive.documents.VectorIndex;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A collection of characters with a vector index of their names. */
public final class NamedCharacters {
  /** The type of the vector index: {@code flat} would compare all vectors and be exact. */
  static final String INDEX_TYPE = "diskANN";

  private static final String NAME = "characters";
  private static final String VECTORS = "/v";

  private final DocumentStore documents;
  private final DocumentCollection<NamedCharacter> characters;

  public NamedCharacters(Kv kv) {
    documents = DocumentStore.over(kv);
    characters = documents.collection(NAME, NamedCharacter.class);
  }

  /** Returns the collection. */
  public DocumentCollection<NamedCharacter> characters() {
    return characters;
  }

  /** Returns the number of characters with names of their own, the maximum for {@link #fill}. */
  public static int count() {
    return (int) NamedCharacter.all().count();
  }

  private static CollectionDefinition definition(String indexType) {
    return CollectionDefinition.DEFAULT
        .withVectorEmbeddings(
            new VectorEmbedding(VECTORS, "float32", NameVectors.DIMENSIONS, "cosine"))
        .withIndexingPolicy(
            IndexingPolicy.includeRoot(VECTORS + "/*")
                .withVector(new VectorIndex(VECTORS, indexType)));
  }

  /** Deletes the items of an earlier run and stores the first {@code count} characters. */
  public Flux<LoadProgress> fill(int count) {
    return fill(count, INDEX_TYPE);
  }

  /** Fills as {@link #fill(int)} does, with another type of vector index. */
  public Flux<LoadProgress> fill(int count, String indexType) {
    return documents
        .drop(NAME)
        .then(documents.create(NAME, definition(indexType)))
        .thenMany(
            Flux.defer(() -> characters.load(Flux.fromStream(NamedCharacter::all).take(count))));
  }

  /** Stops the background work of the collection. */
  public Mono<Void> close() {
    return documents.close();
  }
}
