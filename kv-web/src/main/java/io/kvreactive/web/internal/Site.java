package io.kvreactive.web.internal;

import io.kvreactive.web.OperationsOptions;
import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.internal.database.Databases;
import io.kvreactive.web.internal.guard.Guard;
import io.kvreactive.web.internal.http.Lifecycle;
import io.kvreactive.web.internal.ops.ServerMeters;
import io.kvreactive.web.internal.trace.Tracing;
import io.vertx.core.Vertx;

/**
 * The context of a server: what its routes share on all event loops.
 *
 * @param guard authenticates and authorizes requests
 * @param operations the options of its operation
 * @param intake the bounds of what is taken in at a time
 * @param tracing begins the trace of each request
 * @param meters its meters
 */
public record Site(
    Vertx vertx,
    Databases databases,
    Guard guard,
    RoutesOptions options,
    Lifecycle lifecycle,
    OperationsOptions operations,
    Intake intake,
    Tracing tracing,
    ServerMeters meters) {
  public Site(
      Vertx vertx,
      Databases databases,
      Guard guard,
      RoutesOptions options,
      Lifecycle lifecycle,
      OperationsOptions operations,
      Tracing tracing) {
    this(
        vertx,
        databases,
        guard,
        options,
        lifecycle,
        operations,
        Intake.of(vertx, options),
        tracing);
  }

  private Site(
      Vertx vertx,
      Databases databases,
      Guard guard,
      RoutesOptions options,
      Lifecycle lifecycle,
      OperationsOptions operations,
      Intake intake,
      Tracing tracing) {
    this(
        vertx,
        databases,
        guard,
        options,
        lifecycle,
        operations,
        intake,
        tracing,
        new ServerMeters(operations.meters(), lifecycle, intake.memory()));
  }
}
