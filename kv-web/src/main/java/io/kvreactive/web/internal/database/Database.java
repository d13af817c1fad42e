package io.kvreactive.web.internal.database;

import io.kvreactive.Kv;
import java.util.UUID;

/**
 * An open database of a server.
 *
 * @param name what callers ask for it by
 * @param id lasting; KV Connect's {@code databaseId}
 * @param kv the store
 */
public record Database(String name, UUID id, Kv kv) {}
