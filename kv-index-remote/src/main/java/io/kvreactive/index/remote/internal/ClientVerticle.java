package io.kvreactive.index.remote.internal;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.index.DocumentClientOptions;
import io.kvreactive.index.spi.DocumentMapper;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The connections of a client. They are closed if the verticle is undeployed or its Vert.x is
 * closed. Its context is that of the WebSockets.
 */
final class ClientVerticle extends VerticleBase {
  private final DatabaseAddress address;
  private final DocumentClientOptions options;
  private final DocumentMapper mapper;
  private @Nullable RestCaller rest;
  private @Nullable StreamPool streams;

  ClientVerticle(DatabaseAddress address, DocumentClientOptions options, DocumentMapper mapper) {
    this.address = address;
    this.options = options;
    this.mapper = mapper;
  }

  @Override
  public Future<?> start() {
    rest = new RestCaller(vertx, address, options, mapper);
    streams = new StreamPool(vertx, context, address, options, mapper);
    return Future.succeededFuture();
  }

  DocumentMapper mapper() {
    return mapper;
  }

  DocumentClientOptions options() {
    return options;
  }

  RestCaller rest() {
    return started(rest);
  }

  StreamPool streams() {
    return started(streams);
  }

  private static <T> T started(@Nullable T part) {
    if (part == null) {
      throw new IllegalStateException("not started");
    }
    return part;
  }

  static KvException closed() {
    return new KvException(
        KvErrorCode.CLOSED, "the connection to the collections of the server is closed");
  }

  /** Closes the connections. Idempotent. */
  Mono<Void> close() {
    return Mono.create(
        sink ->
            vertx
                .undeploy(context.deploymentID())
                .onComplete(done -> sink.success(), undeployed -> sink.success()));
  }

  @Override
  public Future<?> stop() {
    return Future.join(rest().close(), streams().close()).otherwiseEmpty();
  }
}
