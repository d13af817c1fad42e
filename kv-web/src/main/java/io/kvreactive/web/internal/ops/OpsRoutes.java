package io.kvreactive.web.internal.ops;

import io.kvreactive.web.MetricsOptions;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.http.OperationHandlers;

/**
 * Mounts the routes of probes, which need no token, and of metrics. They are answered in every
 * state of the server.
 */
public final class OpsRoutes {
  private OpsRoutes() {}

  public static void mount(OperationHandlers handlers, ServerContext serverContext) {
    HealthRoutes.mount(handlers, serverContext);
    MetricsOptions metrics = serverContext.operations().metrics();
    if (metrics != null) {
      MetricsRoute.mount(handlers, serverContext, metrics);
    }
  }
}
