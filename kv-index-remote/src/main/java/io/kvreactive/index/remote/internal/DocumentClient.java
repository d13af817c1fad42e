package io.kvreactive.index.remote.internal;

import io.kvreactive.http.client.ClientVerticle;
import io.kvreactive.http.client.StreamPool;
import io.kvreactive.index.spi.DocumentMapper;
import io.vertx.core.Future;
import reactor.core.publisher.Mono;

/**
 * A client of one database.
 *
 * @param close closes the connections; idempotent
 */
record DocumentClient(DocumentMapper mapper, RestCaller rest, StreamPool streams, Mono<Void> close)
    implements ClientVerticle.Client {
  @Override
  public Future<?> end() {
    return Future.join(rest.transport().close(), streams.close()).otherwiseEmpty();
  }
}
