package io.kvreactive.documents;

import io.kvreactive.Kv;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.documents.internal.api.DefaultDocumentStore;
import io.kvreactive.documents.internal.collection.DocumentCodec;
import io.kvreactive.documents.spi.DocumentConnector;
import io.vertx.core.Vertx;
import java.util.ServiceLoader;
import org.apiguardian.api.API;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The document collections of a store, the entry point of this library. A store is obtained by
 * {@link #over(Kv)} and need not be closed: background work ends when the underlying store is
 * closed, or by {@link #close()}. The collections of a server are obtained by {@link #connect} and
 * must be closed.
 *
 * <p>Publishers, threads and errors are those of {@link DocumentCollection}.
 */
public interface DocumentStore {
  /** Returns the document collections of a store, with {@link DocumentStoreOptions#DEFAULT}. */
  static DocumentStore over(Kv kv) {
    return over(kv, DocumentStoreOptions.DEFAULT);
  }

  /** Returns the document collections of a store. */
  static DocumentStore over(Kv kv, DocumentStoreOptions options) {
    return DefaultDocumentStore.over(kv, options);
  }

  /**
   * Connects to the collections of a database on a server of this project. Emits the collections
   * when the server has answered. Programs use them like those of {@link #over(Kv)}; {@code
   * docs/collections.md} lists the differences. The artifact {@code kv-documents-client} must be on
   * the class path.
   *
   * <p>{@link #close()} closes the connections; the store itself remains open. Streams and requests
   * that are open then fail with CLOSED. Errors: UNSUPPORTED without that artifact;
   * INVALID_ARGUMENT for the URL; UNAUTHENTICATED; UNAVAILABLE if no server answers.
   *
   * @param url the URL of the database: {@code http://host:port}, {@code https://host/db/NAME}
   */
  @API(status = API.Status.EXPERIMENTAL)
  static Mono<DocumentStore> connect(Vertx vertx, String url, DocumentClientOptions options) {
    return Mono.defer(() -> connector().connect(vertx, url, options, new DocumentCodec()));
  }

  private static DocumentConnector connector() {
    return ServiceLoader.load(DocumentConnector.class, DocumentStore.class.getClassLoader())
        .findFirst()
        .orElseThrow(
            () ->
                new KvException(
                    KvErrorCode.UNSUPPORTED,
                    "no client of collections on the class path (expected:"
                        + " io.kvreactive:kv-documents-client)"));
  }

  /**
   * Returns a collection, which the first operation creates if it does not exist. This method reads
   * and writes nothing. If the collection exists with another definition, its operations fail with
   * COLLECTION_EXISTS. To change the definition, use {@link DocumentCollection#replaceDefinition}
   * of {@link #collection(String, Class)}.
   */
  <T> DocumentCollection<T> collection(String name, Class<T> type, CollectionDefinition definition);

  /**
   * Returns a collection with an indexing policy, which the first operation creates if it does not
   * exist.
   */
  default <T> DocumentCollection<T> collection(String name, Class<T> type, IndexingPolicy policy) {
    return collection(name, type, CollectionDefinition.DEFAULT.withIndexingPolicy(policy));
  }

  /**
   * Returns a collection that must exist: otherwise its operations fail with COLLECTION_NOT_FOUND.
   */
  <T> DocumentCollection<T> collection(String name, Class<T> type);

  /**
   * Creates a collection. Errors: COLLECTION_EXISTS; INVALID_POLICY, INVALID_PATH; INVALID_ARGUMENT
   * for a name that is not 1 to 255 letters, digits, {@code _}, {@code -} or {@code .}.
   */
  Mono<CollectionInfo> create(String name, CollectionDefinition definition);

  /**
   * Emits the definition of a collection and the progress of its indexes; empty if the collection
   * does not exist.
   */
  Mono<CollectionInfo> describe(String name);

  /** Emits all collections, ordered by name. */
  Flux<CollectionInfo> collections();

  /**
   * Drops a collection. The collection disappears at once, and its data is removed in the
   * background. Emits true if the collection existed.
   */
  Mono<Boolean> drop(String name);

  /** Stops the background work and completes when the work has ended. Idempotent. */
  Mono<Void> close();
}
