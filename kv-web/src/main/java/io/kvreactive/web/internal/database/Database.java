package io.kvreactive.web.internal.database;

import io.kvreactive.Kv;
import io.kvreactive.index.KvIndex;
import io.kvreactive.index.KvIndexOptions;
import java.util.UUID;

/**
 * An open database of a server.
 *
 * @param name what callers ask for it by
 * @param id lasting; KV Connect's {@code databaseId}
 * @param kv the store
 * @param collections its collections
 */
public record Database(String name, UUID id, Kv kv, CollectionsOf collections) {
  /** With collections of its own. */
  public Database(String name, UUID id, Kv kv) {
    this(name, id, kv, new CollectionsOf(kv, KvIndexOptions.DEFAULT));
  }

  /** Its collections, which are begun by this if they have not been yet. */
  public KvIndex index() {
    return collections.get();
  }
}
