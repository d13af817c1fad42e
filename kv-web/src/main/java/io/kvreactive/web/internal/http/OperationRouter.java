package io.kvreactive.web.internal.http;

import io.kvreactive.web.internal.auth.Operation;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.Router;

/** Mounts routes of operations, without reading bodies. */
public final class OperationRouter {
  private OperationRouter() {}

  /**
   * Mounts the route of an operation, and returns one whose handlers are called for authorized
   * callers.
   */
  public static Route route(Router router, Operation operation) {
    open(router, operation)
        .handler(
            context -> {
              RequestContext.of(context).authorize(operation);
              context.next();
            });
    return open(router, operation);
  }

  /** Mounts the route of an operation without authorization. */
  public static Route open(Router router, Operation operation) {
    Route route = router.route(HttpMethod.valueOf(operation.method()), operation.path());
    return operation.answersHead() ? route.method(HttpMethod.HEAD) : route;
  }
}
