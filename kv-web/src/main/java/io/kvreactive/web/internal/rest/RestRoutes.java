package io.kvreactive.web.internal.rest;

import io.kvreactive.web.internal.ServerContext;
import io.vertx.ext.web.Router;

/** The routes of this package. */
public final class RestRoutes {
  private RestRoutes() {}

  /** Mounts the routes below a database's path. */
  public static void mount(Router router, ServerContext serverContext) {
    OperationRoutes routes =
        new OperationRoutes(
            router, serverContext.bodyLimits(), serverContext.options().maxBodyBytes());
    EntryRoutes.mount(routes);
    RangeRoutes.mount(routes);
    TreeRoutes.mount(routes);
    AtomicRoutes.mount(routes);
    QueueRoutes.mount(routes, serverContext);
    InfoRoutes.mount(routes, serverContext);
    AdminRoutes.mount(routes, serverContext);
    ImportRoutes.mount(routes);
  }
}
