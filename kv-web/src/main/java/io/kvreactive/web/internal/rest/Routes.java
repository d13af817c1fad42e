package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;

/** Mounts routes below {@code /api/v1}, with what they have in common. */
public final class Routes {
  private static final String BASE = "/api/v1";

  private final Router router;
  private final int maxBodyBytes;

  public Routes(Router router, int maxBodyBytes) {
    this.router = router;
    this.maxBodyBytes = maxBodyBytes;
  }

  /** A route whose requests have no body that matters. */
  public void plain(HttpMethod method, String path, Handler<RoutingContext> handler) {
    router.route(method, BASE + path).handler(handler);
  }

  /** A route that reads its body by itself. */
  public void streamed(
      HttpMethod method, String path, Handler<RoutingContext> handler, String... contentTypes) {
    router.route(method, BASE + path).handler(context -> typed(context, contentTypes));
    plain(method, path, handler);
  }

  /** A route whose requests have a body of one of these types, which is read as a whole. */
  public void body(
      HttpMethod method, String path, Handler<RoutingContext> handler, String... contentTypes) {
    router.route(method, BASE + path).handler(context -> typed(context, contentTypes));
    router
        .route(method, BASE + path)
        .handler(BodyHandler.create(false).setBodyLimit(maxBodyBytes))
        .handler(handler);
  }

  private static void typed(RoutingContext context, String... contentTypes) {
    var unused = Accepts.contentType(context, contentTypes);
    context.next();
  }

  /** The bytes of the body. */
  public static byte[] bytes(RoutingContext context) {
    Buffer body = context.body().buffer();
    return body == null ? new byte[0] : body.getBytes();
  }

  /** The body as JSON. */
  public static JsonNode json(RoutingContext context) {
    return Json.parse("body", bytes(context));
  }
}
