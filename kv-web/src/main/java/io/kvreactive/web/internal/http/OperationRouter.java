package io.kvreactive.web.internal.http;

import io.kvreactive.web.internal.auth.Operation;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.Router;

/** Mounts routes of operations with authorization only. */
public final class OperationRouter {
  private OperationRouter() {}

  /**
   * Mounts the route of an operation, and returns one whose handlers are called for authorized
   * callers.
   */
  public static Route route(Router router, Operation operation) {
    HttpMethod method = HttpMethod.valueOf(operation.method());
    router
        .route(method, operation.path())
        .handler(
            context -> {
              RequestContext.of(context).authorize(operation);
              context.next();
            });
    return router.route(method, operation.path());
  }
}
