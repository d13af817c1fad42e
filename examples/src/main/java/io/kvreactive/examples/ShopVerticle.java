package io.kvreactive.examples;

import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.web.KvRoutes;
import io.kvreactive.web.RoutesOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * An application with routes of its own, on a store that was deployed separately and is found by
 * its name. Operators reach the store and its explorer at {@code /kv/}, with an access token.
 */
public final class ShopVerticle extends VerticleBase {
  private static final KvKey VISITS = KvKey.of("visits");

  private final String store;
  private final String token;
  private final int port;
  private @Nullable HttpServer server;
  private @Nullable KvRoutes routes;

  /**
   * Creates the application.
   *
   * @param store the name of the store
   * @param token the access token of the operators
   * @param port the port to listen on; 0 for any free port
   */
  public ShopVerticle(String store, String token, int port) {
    this.store = store;
    this.token = token;
    this.port = port;
  }

  @Override
  public Future<?> start() {
    return future(Kv.named(vertx, store)).compose(this::listen);
  }

  private Future<HttpServer> listen(Kv kv) {
    Router router = Router.router(vertx);
    router.get("/").handler(context -> welcome(context, kv));
    Router operators = Router.router(vertx);
    routes = KvRoutes.mount(vertx, operators, kv, RoutesOptions.DEFAULT, token);
    router.route("/kv/*").subRouter(operators);
    server = vertx.createHttpServer().requestHandler(router);
    return server.listen(port, "127.0.0.1");
  }

  private void welcome(RoutingContext context, Kv kv) {
    kv.atomic()
        .sum(VISITS, 1)
        .commit()
        .then(kv.get(VISITS))
        .map(KvEntry::required)
        .subscribe( // emits on this request's event loop
            visits -> context.response().end("Welcome! Visits so far: " + visits + "\n"),
            context::fail);
  }

  /** Returns the URL of the server. Valid after the deployment. */
  public String url() {
    return "http://127.0.0.1:" + (server == null ? port : server.actualPort());
  }

  @Override
  public Future<?> stop() {
    if (routes != null) {
      routes.drain();
    }
    return server == null ? Future.succeededFuture() : server.shutdown();
  }

  private static <T> Future<T> future(Mono<T> mono) {
    Promise<T> promise = Promise.promise();
    mono.subscribe(promise::complete, promise::fail);
    return promise.future();
  }
}
