package io.kvreactive.web.internal.ops;

import io.kvreactive.web.internal.ServerContext;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.ext.web.Router;

/**
 * Routes of probes, which need no token, and of metrics. They are answered in every state of the
 * server.
 */
public final class OpsRoutes {
  private OpsRoutes() {}

  public static void mount(Router router, ServerContext serverContext) {
    HealthRoutes.mount(router, serverContext);
    PrometheusMeterRegistry meters = serverContext.meters().registry();
    if (meters != null) {
      MetricsRoute.mount(router, serverContext, meters);
    }
  }
}
