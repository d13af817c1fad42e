package io.kvreactive.web.internal;

import io.kvreactive.web.MetricsOptions;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.auth.OperationPaths;
import io.kvreactive.web.internal.collections.CollectionRoutes;
import io.kvreactive.web.internal.connect.ConnectRoutes;
import io.kvreactive.web.internal.explorer.ExplorerRoutes;
import io.kvreactive.web.internal.feed.FeedRoutes;
import io.kvreactive.web.internal.guard.FilterChain;
import io.kvreactive.web.internal.http.FailureHandler;
import io.kvreactive.web.internal.http.OperationHandlers;
import io.kvreactive.web.internal.http.RequestContext;
import io.kvreactive.web.internal.http.RequestHandlers;
import io.kvreactive.web.internal.ops.OpsRoutes;
import io.kvreactive.web.internal.ops.RequestObserver;
import io.kvreactive.web.internal.rest.OpenApiRoutes;
import io.kvreactive.web.internal.rest.OperationRoutes;
import io.kvreactive.web.internal.rest.RestRoutes;
import io.kvreactive.web.internal.rest.TokenRoutes;
import io.kvreactive.web.internal.stream.StreamRoutes;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;

/**
 * The steps of each request, in their order: the operation is found by one look at the method and
 * the path, the request is filtered, its caller is authenticated, its database is opened, the
 * caller is authorized and the body is read, and the handler of the operation answers.
 */
public final class ServerRoutes {
  private static final int[] STATUSES = {400, 403, 404, 405, 406, 413, 414, 415, 500};

  private ServerRoutes() {}

  /** Mounts all routes in a router, which may be a sub-router of another program. */
  public static void mount(Router router, ServerContext serverContext) {
    OperationHandlers handlers = handlers(serverContext);
    OperationPaths paths = handlers.paths();
    FilterChain filters = serverContext.filters();
    RequestObserver requests = new RequestObserver(serverContext);
    Route route =
        router
            .route()
            .handler(
                context ->
                    RequestHandlers.begin(
                        context, paths, filters.logs(), serverContext.bodyLimits().memory()))
            .handler(requests.observe());
    filters.mount(route);
    route
        .handler(ConnectRoutes::checkVersion)
        .handler(requests::admit)
        .handler(ExplorerRoutes::slash)
        .handler(context -> authenticate(context, serverContext))
        .handler(context -> RequestHandlers.database(context, serverContext.databases()))
        .handler(handlers::prepare)
        .handler(handlers::handle)
        .failureHandler(ConnectRoutes::fail);
    for (int status : STATUSES) {
      router.errorHandler(status, context -> unrouted(context, status));
    }
  }

  /** Returns the handlers of all operations. */
  static OperationHandlers handlers(ServerContext serverContext) {
    OperationHandlers handlers = new OperationHandlers();
    OpsRoutes.mount(handlers, serverContext);
    OpenApiRoutes.mount(handlers);
    ExplorerRoutes.mount(handlers);
    TokenRoutes.mount(handlers, serverContext.filters(), serverContext.bodyLimits());
    StreamRoutes.mount(handlers, serverContext);
    ConnectRoutes.mount(handlers, serverContext);
    FeedRoutes.mount(handlers, serverContext);
    OperationRoutes routes =
        new OperationRoutes(
            handlers, serverContext.bodyLimits(), serverContext.options().maxBodyBytes());
    RestRoutes.mount(routes, serverContext);
    CollectionRoutes.mount(routes, serverContext);
    return handlers;
  }

  private static void authenticate(RoutingContext context, ServerContext serverContext) {
    RequestContext requestContext = RequestContext.of(context);
    Operation operation = requestContext.target().operation();
    if (operation == Operation.METRICS && isShown(context, serverContext)) {
      requestContext.needsNoToken();
      context.next();
    } else if (operation != null && operation.rights() == Operation.Rights.NO_TOKEN) {
      context.next();
    } else {
      serverContext.filters().authenticate(context);
    }
  }

  /** Returns true if a caller needs no token for metrics. */
  private static boolean isShown(RoutingContext context, ServerContext serverContext) {
    MetricsOptions metrics = serverContext.operations().metrics();
    return metrics != null && metrics.shownToAll()
        || serverContext.filters().isLocal(context.request());
  }

  /** Answers a request that no route has handled with a problem. */
  private static void unrouted(RoutingContext context, int handled) {
    int status = context.statusCode() > 0 ? context.statusCode() : handled;
    if (context.get(RequestContext.class.getName()) == null) {
      context.response().setStatusCode(status).end(); // failed before any handler of this server
      return;
    }
    FailureHandler.asProblem(context, status);
  }
}
