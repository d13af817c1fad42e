package io.kvreactive.web.internal.rest;

import io.kvreactive.web.internal.ServerContext;

/** The routes of this package. */
public final class RestRoutes {
  private RestRoutes() {}

  /** Sets the handlers. */
  public static void mount(OperationRoutes routes, ServerContext serverContext) {
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
