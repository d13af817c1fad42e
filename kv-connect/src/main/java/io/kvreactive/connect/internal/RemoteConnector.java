package io.kvreactive.connect.internal;

import io.kvreactive.spi.KvConnector;
import io.kvreactive.spi.KvEngine;
import io.vertx.core.Vertx;
import reactor.core.publisher.Mono;

/** The implementation of {@code Kv.connect}. */
public final class RemoteConnector implements KvConnector {
  private final RemoteOptions options;

  /** Creates a connector; called by {@link java.util.ServiceLoader}. */
  public RemoteConnector() {
    this(RemoteOptions.DEFAULT);
  }

  RemoteConnector(RemoteOptions options) {
    this.options = options;
  }

  @Override
  public Mono<KvEngine> connect(Vertx vertx, String url, String token) {
    return RemoteVerticle.connect(vertx, url, token, options);
  }
}
