package io.kvreactive.web.internal;

import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.collections.CollectionRoutes;
import io.kvreactive.web.internal.connect.ConnectRoutes;
import io.kvreactive.web.internal.explorer.ExplorerRoutes;
import io.kvreactive.web.internal.feed.FeedRoutes;
import io.kvreactive.web.internal.guard.TokenRoutes;
import io.kvreactive.web.internal.http.FailureHandler;
import io.kvreactive.web.internal.http.RequestContext;
import io.kvreactive.web.internal.http.RequestHandlers;
import io.kvreactive.web.internal.http.RoutePaths;
import io.kvreactive.web.internal.ops.OpsRoutes;
import io.kvreactive.web.internal.ops.RequestObserver;
import io.kvreactive.web.internal.rest.OpenApiRoutes;
import io.kvreactive.web.internal.rest.OperationRoutes;
import io.kvreactive.web.internal.rest.RestRoutes;
import io.kvreactive.web.internal.stream.StreamRoutes;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.Set;
import java.util.function.Predicate;

/** Mounts all routes of a server, in matching order. */
public final class ServerRoutes {
  private static final int[] STATUSES = {400, 403, 404, 405, 406, 413, 414, 415, 500};

  private ServerRoutes() {}

  /** Mounts all routes in a router, which may be a sub-router of another program. */
  public static void mount(Router router, ServerContext serverContext) {
    RequestObserver requests =
        new RequestObserver(
            serverContext.tracing(),
            serverContext.operations().accessLog(),
            serverContext.lifecycle());
    ConnectRoutes.mountFailures(router);
    router
        .route()
        .handler(
            context ->
                RequestHandlers.begin(
                    context, serverContext.filters().logs(), serverContext.bodyLimits().memory()))
        .failureHandler(FailureHandler::asProblem);
    router.route().handler(requests.observe());
    serverContext.filters().mount(router);
    ConnectRoutes.mountVersionCheck(router);
    OpsRoutes.mount(router, serverContext);
    router.route().handler(requests::admit);
    OpenApiRoutes.mount(router);
    ExplorerRoutes.mount(router);
    TokenRoutes.mount(router, serverContext.filters(), serverContext.bodyLimits());
    Router database = database(serverContext);
    router.route("/db/:database*").subRouter(database);
    router.route("/*").subRouter(database);
    boolean metrics = serverContext.operations().metrics() != null;
    router
        .route()
        .handler(
            context ->
                refuseMethod(context, operation -> operation != Operation.METRICS || metrics));
    for (int status : STATUSES) {
      router.errorHandler(status, context -> unrouted(context, status));
    }
  }

  /** Creates a router with the routes of a database. */
  static Router database(ServerContext serverContext) {
    Router router = Router.router(serverContext.vertx());
    router.route().handler(RequestObserver::noteRoute);
    router.route().handler(serverContext.filters()::authenticate);
    router
        .route()
        .handler(
            context ->
                RequestHandlers.database(
                    context, serverContext.databases(), context.pathParam("database")));
    StreamRoutes.mount(router, serverContext); // before any route that reads bodies
    ConnectRoutes.mount(router, serverContext);
    FeedRoutes.mount(router, serverContext);
    RestRoutes.mount(router, serverContext);
    CollectionRoutes.mount(
        new OperationRoutes(
            router, serverContext.bodyLimits(), serverContext.options().maxBodyBytes()),
        serverContext);
    return router;
  }

  /**
   * Rejects a method that the path does not support, with 405 and the supported methods. Must be
   * the last route. Vert.x would not list the methods, and in another program's router it would
   * call that program's handlers.
   */
  private static void refuseMethod(RoutingContext context, Predicate<Operation> mounted) {
    Set<String> methods = Operation.methods(RoutePaths.below(context), mounted);
    if (!methods.isEmpty() && !methods.contains(context.request().method().name())) {
      context.response().putHeader("Allow", String.join(", ", methods));
      context.fail(405);
      return;
    }
    context.next();
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
