package io.kvreactive.web.internal;

import io.kvreactive.web.OperationsOptions;
import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.internal.database.Databases;
import io.kvreactive.web.internal.guard.FilterChain;
import io.kvreactive.web.internal.http.Lifecycle;
import io.kvreactive.web.internal.ops.ServerMeters;
import io.kvreactive.web.internal.trace.Tracing;
import io.vertx.core.Vertx;

/**
 * The parts of a server that its routes share on all event loops.
 *
 * @param filters the filters that authenticate and authorize requests
 * @param operations the options for operating the server
 * @param bodyLimits the limits on request bodies
 * @param tracing the tracing of requests
 * @param meters the meters of the server
 */
public record ServerContext(
    Vertx vertx,
    Databases databases,
    FilterChain filters,
    RoutesOptions options,
    Lifecycle lifecycle,
    OperationsOptions operations,
    BodyLimits bodyLimits,
    Tracing tracing,
    ServerMeters meters) {
  /** Creates the parts of a server. */
  public static ServerContext of(
      Vertx vertx,
      Databases databases,
      FilterChain filters,
      RoutesOptions options,
      Lifecycle lifecycle,
      OperationsOptions operations,
      Tracing tracing) {
    BodyLimits limits = BodyLimits.of(vertx, options);
    ServerMeters meters = new ServerMeters(operations.metrics(), lifecycle, limits.memory());
    return new ServerContext(
        vertx, databases, filters, options, lifecycle, operations, limits, tracing, meters);
  }
}
