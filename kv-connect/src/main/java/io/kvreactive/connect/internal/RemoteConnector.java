package io.kvreactive.connect.internal;

import io.kvreactive.http.client.ClientVerticle;
import io.kvreactive.http.client.ServerUrls;
import io.kvreactive.spi.KvConnector;
import io.kvreactive.spi.KvEngine;
import io.vertx.core.Vertx;
import java.net.URI;
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
    return Mono.defer(
            () -> {
              URI address = ServerUrls.parse(url, "http://localhost:4512 or https://host/path");
              String checked = ServerUrls.token(token);
              return ClientVerticle.open(
                  vertx,
                  (own, loop, close) ->
                      new RemoteEngine(own, loop, address, checked, options, close),
                  engine -> engine.open(options));
            })
        .doOnDiscard(RemoteEngine.class, unwanted -> unwanted.close().subscribe())
        .onErrorMap(RemoteEngine::known);
  }
}
