package io.kvreactive.connect.internal;

import io.kvreactive.http.client.ClientVerticle;
import io.kvreactive.http.client.ServerUrls;
import io.kvreactive.spi.KvEngine;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The event loop of a client. */
final class RemoteVerticle extends ClientVerticle {
  private static final String EXAMPLE = "http://localhost:4512 or https://host/path";

  private final URI url;
  private final String token;
  private final RemoteOptions options;
  private @Nullable RemoteEngine engine;

  private RemoteVerticle(URI url, String token, RemoteOptions options) {
    this.url = url;
    this.token = token;
    this.options = options;
  }

  /** Connects. Emits an engine when the server has answered. */
  static Mono<KvEngine> connect(Vertx vertx, String url, String token, RemoteOptions options) {
    return Mono.defer(
            () -> {
              URI address = ServerUrls.parse(url, EXAMPLE);
              return open(
                  vertx,
                  new RemoteVerticle(address, ServerUrls.token(token), options),
                  verticle -> verticle.started().open(options));
            })
        .doOnDiscard(RemoteEngine.class, unwanted -> unwanted.close().subscribe())
        .onErrorMap(RemoteEngine::known);
  }

  private RemoteEngine started() {
    if (engine == null) {
      throw new IllegalStateException("not started");
    }
    return engine;
  }

  @Override
  public Future<?> start() {
    engine =
        new RemoteEngine(vertx, new ClientEventLoop(vertx, context), url, token, options, close());
    return Future.succeededFuture();
  }

  @Override
  public Future<?> stop() {
    return started().end();
  }
}
