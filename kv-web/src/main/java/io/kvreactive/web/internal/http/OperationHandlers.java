package io.kvreactive.web.internal.http;

import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.auth.OperationPaths;
import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The handlers of operations that have a route. The last two steps of a request: {@link #prepare}
 * and {@link #handle}.
 */
public final class OperationHandlers {
  private static final Handler<RoutingContext> NO_BODY = RoutingContext::next;

  private final Map<Operation, Route> routes = new EnumMap<>(Operation.class);

  private record Route(Handler<RoutingContext> body, Handler<RoutingContext> handler) {}

  /** Sets the handler of an operation whose requests have no body that matters. */
  public void on(Operation operation, Handler<RoutingContext> handler) {
    on(operation, NO_BODY, handler);
  }

  /**
   * Sets the handlers of an operation.
   *
   * @param body checks or reads the body, and then calls the next handler
   */
  public void on(
      Operation operation, Handler<RoutingContext> body, Handler<RoutingContext> handler) {
    if (routes.put(operation, new Route(body, handler)) != null) {
      throw new IllegalStateException("two handlers of " + operation.call());
    }
  }

  /** Returns the paths of the operations that have handlers. */
  public OperationPaths paths() {
    return new OperationPaths(Set.copyOf(routes.keySet()));
  }

  private @Nullable Route route(RoutingContext context) {
    Operation operation = RequestContext.of(context).target().operation();
    return operation == null ? null : routes.get(operation);
  }

  /**
   * Authorizes the caller for the operation of the request, and reads the body. A request without
   * an operation is passed on, or fails with 405 if its path has other methods: Vert.x would not
   * list these, and in another program's router it would call that program's handlers.
   */
  public void prepare(RoutingContext context) {
    RequestContext requestContext = RequestContext.of(context);
    Route route = route(context);
    if (route != null) {
      requestContext.authorize();
      route.body.handle(context);
      return;
    }
    Set<String> methods = requestContext.target().methods();
    if (methods.isEmpty()) {
      context.next();
    } else {
      context.response().putHeader("Allow", String.join(", ", methods));
      context.fail(405);
    }
  }

  /** Handles a request that was prepared. */
  public void handle(RoutingContext context) {
    Route route = route(context);
    if (route == null) {
      context.next();
    } else {
      route.handler.handle(context);
    }
  }
}
