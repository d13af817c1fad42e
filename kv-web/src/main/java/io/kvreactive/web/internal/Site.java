package io.kvreactive.web.internal;

import io.kvreactive.web.OperationsOptions;
import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.internal.database.Databases;
import io.kvreactive.web.internal.guard.Guard;
import io.kvreactive.web.internal.http.Lifecycle;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

/**
 * What all routes of a server share.
 *
 * @param guard finds out who asks, and who may not
 * @param operations how it is operated
 * @param intake what it takes in at a time
 */
public record Site(
    Vertx vertx,
    Databases databases,
    Guard guard,
    RoutesOptions options,
    Lifecycle lifecycle,
    OperationsOptions operations,
    Intake intake) {
  public Site(
      Vertx vertx,
      Databases databases,
      Guard guard,
      RoutesOptions options,
      Lifecycle lifecycle,
      OperationsOptions operations) {
    this(vertx, databases, guard, options, lifecycle, operations, Intake.of(vertx, options));
  }

  /** Where measurements go; null when somebody else takes them. */
  public @Nullable PrometheusMeterRegistry meters() {
    return operations.meters();
  }
}
