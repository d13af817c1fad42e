/**
 * The client of a server's collections. With this artifact on the class path, {@code
 * DocumentStore.connect(vertx, url, options)} opens the collections of a server of this project. No
 * class of this package has to be called.
 *
 * <p>Requests use the REST interface. Queries, watched queries and change feeds use its WebSocket,
 * with the subscriber's demand as credit. {@code docs/collections.md} lists what differs from
 * embedded collections.
 */
@NullMarked
package io.kvreactive.documents.client;

import org.jspecify.annotations.NullMarked;
