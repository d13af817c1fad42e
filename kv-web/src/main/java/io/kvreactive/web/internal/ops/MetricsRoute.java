package io.kvreactive.web.internal.ops;

import io.kvreactive.web.MetricsOptions;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.database.Database;
import io.kvreactive.web.internal.http.OperationHandlers;
import io.kvreactive.web.internal.http.ResponseBodies;
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

  static void mount(
      OperationHandlers handlers, ServerContext serverContext, MetricsOptions metrics) {
    handlers.on(Operation.METRICS, new MetricsRoute(serverContext, metrics)::show);
  }

  private void show(RoutingContext context) {
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
