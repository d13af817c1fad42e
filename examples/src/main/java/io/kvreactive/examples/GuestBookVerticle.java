package io.kvreactive.examples;

import io.kvreactive.Kv;
import io.kvreactive.web.KvRoutes;
import io.kvreactive.web.RoutesOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import org.jspecify.annotations.Nullable;

/**
 * A web server of one page, {@code page.html}, which lists the entries of a guest book and follows
 * its changes. The server only mounts the routes of the store. The page takes the access token from
 * the fragment of its address.
 */
public final class GuestBookVerticle extends VerticleBase {
  private static final String PAGE = "io/kvreactive/examples/live/page.html";

  private final Kv kv;
  private final String token;
  private final int port;
  private @Nullable HttpServer server;
  private @Nullable KvRoutes routes;

  /**
   * Creates the server.
   *
   * @param token the access token of the page
   * @param port the port to listen on; 0 for any free port
   */
  public GuestBookVerticle(Kv kv, String token, int port) {
    this.kv = kv;
    this.token = token;
    this.port = port;
  }

  @Override
  public Future<?> start() {
    Router router = Router.router(vertx);
    router.get("/").handler(context -> context.response().sendFile(PAGE));
    Router store = Router.router(vertx);
    // GET /kv/api/v1/entry, a WebSocket at /kv/api/v1/stream, …
    routes = KvRoutes.mount(vertx, store, kv, RoutesOptions.DEFAULT, token);
    router.route("/kv/*").subRouter(store);
    server = vertx.createHttpServer().requestHandler(router);
    return server.listen(port, "127.0.0.1");
  }

  /** Returns the URL of the page with its token. Valid after the deployment. */
  public String page() {
    return url() + "/#token=" + token;
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
}
