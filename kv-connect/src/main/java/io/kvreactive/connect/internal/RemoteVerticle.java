package io.kvreactive.connect.internal;

import io.kvreactive.spi.KvEngine;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The event loop of a client. The client is closed if the verticle is undeployed or its Vert.x is
 * closed.
 */
final class RemoteVerticle extends VerticleBase {
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
          RemoteVerticle verticle =
              new RemoteVerticle(ServerUrls.parse(url), ServerUrls.token(token), options);
          return Mono.<RemoteEngine>create(
                  sink ->
                      vertx
                          .deployVerticle(verticle)
                          .map(ignored -> verticle.started())
                          .onComplete(sink::success, sink::error))
              .flatMap(
                  started ->
                      started
                          .open(options)
                          .onErrorResume(
                              failed -> started.close().onErrorComplete().then(Mono.error(failed)))
                          .doOnCancel(() -> started.close().subscribe()))
              .doOnDiscard(RemoteEngine.class, unwanted -> unwanted.close().subscribe())
              .onErrorMap(RemoteEngine::known);
        });
  }

  private RemoteEngine started() {
    if (engine == null) {
      throw new IllegalStateException("not started");
    }
    return engine;
  }

  @Override
  public Future<?> start() {
    Context own = context;
    ClientEventLoop loop = new ClientEventLoop(vertx, own);
    Mono<Void> release =
        Mono.create(
            sink ->
                vertx
                    .undeploy(own.deploymentID())
                    .onComplete(done -> sink.success(), undeployed -> sink.success()));
    engine = new RemoteEngine(vertx, loop, url, token, options, release);
    return Future.succeededFuture();
  }

  @Override
  public Future<?> stop() {
    Promise<Void> stopped = Promise.promise();
    started().end().subscribe(ignored -> {}, stopped::fail, stopped::complete);
    return stopped.future();
  }
}
