package io.kvreactive.web.internal.ops;

import io.kvreactive.web.MetricsOptions;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.database.Database;
import io.kvreactive.web.internal.http.OperationRouter;
import io.kvreactive.web.internal.http.RequestContext;
import io.kvreactive.web.internal.http.ResponseBodies;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;

/**
 * The route {@code /metrics} in the text format of Prometheus. Local callers without a proxy need
 * no token. Other callers need a token with METRICS or ADMIN access, or with READ access to
 * everything.
 */
final class MetricsRoute {
  private static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private final ServerContext serverContext;
  private final MetricsOptions metrics;

  private MetricsRoute(ServerContext serverContext, MetricsOptions metrics) {
    this.serverContext = serverContext;
    this.metrics = metrics;
  }

  static void mount(Router router, ServerContext serverContext, MetricsOptions metrics) {
    MetricsRoute route = new MetricsRoute(serverContext, metrics);
    OperationRouter.open(router, Operation.METRICS).handler(route::filters).handler(route::show);
  }

  private void filters(RoutingContext context) {
    if (metrics.shownToAll() || serverContext.filters().isLocal(context.request())) {
      context.next();
      return;
    }
    serverContext.filters().authenticate(context);
  }

  private void show(RoutingContext context) {
    Grant grant = RequestContext.of(context).grantIfAny(); // none for local callers
    if (grant != null) {
      RequestContext.of(context).authorize(Operation.METRICS);
    }
    for (Database database : serverContext.databases().opened()) {
      serverContext.meters().bind(database, metrics.registry());
    }
    serverContext
        .vertx()
        .executeBlocking(metrics.scrape()::get, false)
        .onComplete(
            text -> {
              context.response().putHeader("Content-Type", CONTENT_TYPE);
              ResponseBodies.send(context, text);
            },
            context::fail);
  }
}
