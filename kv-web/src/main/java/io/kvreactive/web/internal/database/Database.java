package io.kvreactive.web.internal.database;

import io.kvreactive.Kv;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.DocumentThreads;
import java.util.UUID;

/**
 * An open database of a server.
 *
 * @param name the name in requests
 * @param id the id of the store's history: constant across restarts, and another one after a
 *     restore; KV Connect's {@code databaseId}
 * @param kv the store
 * @param collections the collections of the store
 */
public record Database(String name, UUID id, Kv kv, LazyDocumentStore collections) {
  private static final UUID UNKNOWN = new UUID(0, 0);

  /** Creates a database whose id is that of the store's history. */
  public Database(String name, Kv kv, LazyDocumentStore collections) {
    this(name, idOf(kv), kv, collections);
  }

  private static UUID idOf(Kv kv) {
    UUID history = kv.historyId();
    return history == null ? UNKNOWN : history;
  }

  /** Returns the threads of the collections of this and other databases. */
  public DocumentThreads threads() {
    return collections.threads();
  }

  /** Returns the collections. The first call starts their background work. */
  public DocumentStore documents() {
    return collections.get();
  }
}
