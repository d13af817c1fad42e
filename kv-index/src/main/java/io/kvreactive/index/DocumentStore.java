package io.kvreactive.index;

import io.kvreactive.Kv;
import io.kvreactive.index.internal.api.DefaultDocumentStore;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Collections in a store. Get one by {@link #over(Kv)}; it needs no closing: what it does in the
 * background ends when the store is closed, or by {@link #close()}.
 *
 * <p>Publishers, threads and errors are those of {@link DocumentCollection}.
 */
public interface DocumentStore {
  /** The collections of a store. */
  static DocumentStore over(Kv kv) {
    return over(kv, DocumentStoreOptions.DEFAULT);
  }

  /** The collections of a store. */
  static DocumentStore over(Kv kv, DocumentStoreOptions options) {
    return DefaultDocumentStore.over(kv, options);
  }

  /**
   * A collection, created when it is first used and not there. Nothing is read or written here.
   * When there is one with another definition, its operations fail with COLLECTION_EXISTS: to
   * change it, use {@link DocumentCollection#replaceDefinition} of {@link #collection(String,
   * Class)}.
   */
  <T> DocumentCollection<T> collection(String name, Class<T> type, CollectionDefinition definition);

  /** A collection, created when it is first used and not there, with an indexing policy. */
  default <T> DocumentCollection<T> collection(String name, Class<T> type, IndexingPolicy policy) {
    return collection(name, type, CollectionDefinition.DEFAULT.withIndexingPolicy(policy));
  }

  /** A collection that is there: its operations fail with COLLECTION_NOT_FOUND when it is not. */
  <T> DocumentCollection<T> collection(String name, Class<T> type);

  /**
   * Creates a collection. Errors: COLLECTION_EXISTS; INVALID_POLICY, INVALID_PATH; INVALID_ARGUMENT
   * for a name that is not 1 to 255 letters, digits, {@code _}, {@code -} or {@code .}.
   */
  Mono<CollectionInfo> create(String name, CollectionDefinition definition);

  /** Emits how a collection is doing; empty when there is none. */
  Mono<CollectionInfo> describe(String name);

  /** Emits all collections by name. */
  Flux<CollectionInfo> collections();

  /**
   * Drops a collection: it is gone at once, what it held is removed in the background. Emits
   * whether there was one.
   */
  Mono<Boolean> drop(String name);

  /** Ends what goes on in the background, and completes when that has ended. Idempotent. */
  Mono<Void> close();
}
