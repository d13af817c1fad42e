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
 */
public record Site(
    Vertx vertx,
    Databases databases,
    Guard guard,
    RoutesOptions options,
    Lifecycle lifecycle,
    OperationsOptions operations) {
  /** Where measurements go; null when somebody else takes them. */
  public @Nullable PrometheusMeterRegistry meters() {
    return operations.meters();
  }
}
