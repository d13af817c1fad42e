package io.kvreactive.examples.live;

import io.kvreactive.Kv;
import io.kvreactive.web.KvRoutes;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import org.jspecify.annotations.Nullable;

/**
 * A web server of one page, {@code page.html}, which lists the guests and follows what is signed.
 * All that the server does for it is to mount the store's routes.
 */
public final class GuestBookVerticle extends VerticleBase {
  private static final String PAGE = "io/kvreactive/examples/live/page.html";

  private final Kv kv;
  private final int port;
  private @Nullable HttpServer server;
  private @Nullable KvRoutes routes;

  /**
   * @param port 0 for any that is free
   */
  public GuestBookVerticle(Kv kv, int port) {
    this.kv = kv;
    this.port = port;
  }

  @Override
  public Future<?> start() {
    Router router = Router.router(vertx);
    router.get("/").handler(context -> context.response().sendFile(PAGE));
    Router store = Router.router(vertx);
    routes = KvRoutes.mount(store, kv); // GET /kv/api/v1/entry, a WebSocket at /kv/api/v1/stream, …
    router.route("/kv/*").subRouter(store);
    server = vertx.createHttpServer().requestHandler(router);
    return server.listen(port, "127.0.0.1");
  }

  /** Where it listens, once it does. */
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
}
