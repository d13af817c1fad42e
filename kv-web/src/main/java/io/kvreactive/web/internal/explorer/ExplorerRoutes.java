package io.kvreactive.web.internal.explorer;

import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.explorer.Assets.Asset;
import io.kvreactive.web.internal.http.OperationHandlers;
import io.kvreactive.web.internal.http.RequestContext;
import io.kvreactive.web.internal.http.ResponseBodies;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Routes of the explorer page at {@code /} and its files below {@code /explorer/}. The page
 * contains no data: it asks the user for a token and then uses the same routes as all other
 * callers.
 */
public final class ExplorerRoutes {
  private static final Pattern GZIP =
      Pattern.compile("(?i)\\bgzip\\b(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))");

  private final AtomicReference<@Nullable Assets> loaded = new AtomicReference<>();

  private ExplorerRoutes() {}

  /** Sets the handlers, which require no token. */
  public static void mount(OperationHandlers handlers) {
    ExplorerRoutes routes = new ExplorerRoutes();
    handlers.on(Operation.EXPLORER, routes::page);
    handlers.on(
        Operation.EXPLORER_OF_DATABASE,
        context ->
            redirect(context, "../../#db=" + encoded(RequestContext.of(context).name("name"))));
    handlers.on(Operation.EXPLORER_FILE, routes::file);
  }

  /**
   * Redirects from the mount point to the same path with a trailing slash, because the page's URLs
   * are relative.
   */
  public static void slash(RoutingContext context) {
    String mounted = context.mountPoint();
    String path = context.request().path();
    HttpMethod method = context.request().method();
    if (mounted != null
        && mounted.equals(path + "/")
        && (method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD))) {
      redirect(context, path.substring(path.lastIndexOf('/') + 1) + "/");
    } else {
      context.next();
    }
  }

  private void page(RoutingContext context) {
    send(context, Assets.PAGE);
  }

  private static String encoded(String name) {
    return URLEncoder.encode(name, StandardCharsets.UTF_8);
  }

  private static void redirect(RoutingContext context, String relative) {
    context.response().setStatusCode(302).putHeader("Location", relative).end();
  }

  private void file(RoutingContext context) {
    send(context, RequestContext.of(context).name("file"));
  }

  private void send(RoutingContext context, String name) {
    assets(context.vertx())
        .onSuccess(
            assets -> {
              Asset asset = assets.get(name);
              if (asset == null) {
                context.fail(404);
              } else {
                send(context, asset);
              }
            })
        .onFailure(context::fail);
  }

  private Future<Assets> assets(Vertx vertx) {
    Assets known = loaded.get();
    if (known != null) {
      return Future.succeededFuture(known);
    }
    return vertx.executeBlocking(Assets::load, false).onSuccess(loaded::set);
  }

  private static void send(RoutingContext context, Asset asset) {
    boolean gzip = acceptsGzip(context.request().getHeader("Accept-Encoding"));
    Buffer body = gzip ? asset.gzipped() : asset.bytes();
    String etag = '"' + asset.hash() + (gzip ? "-gz" : "") + '"';
    HttpServerResponse response =
        context
            .response()
            .putHeader("ETag", etag)
            .putHeader("Vary", "Accept-Encoding")
            .putHeader(
                "Cache-Control",
                "no-cache"); // must be revalidated, because the names of files never change
    String known = context.request().getHeader("If-None-Match");
    if (known != null && (known.contains(etag) || known.strip().equals("*"))) {
      response.setStatusCode(304).end();
      return;
    }
    response.putHeader("Content-Type", asset.type());
    if (gzip) {
      response.putHeader("Content-Encoding", "gzip");
    }
    ResponseBodies.send(context, body);
  }

  private static boolean acceptsGzip(@Nullable String encodings) {
    return encodings != null && GZIP.matcher(encodings).find();
  }
}
