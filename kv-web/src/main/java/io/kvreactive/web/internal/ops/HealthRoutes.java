package io.kvreactive.web.internal.ops;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.internal.shared.SubscriberContext;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.http.OperationHandlers;
import io.kvreactive.web.internal.http.ResponseBodies;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.util.TreeSet;

/**
 * Routes of probes. {@code /livez} answers 200 while the process runs. {@code /readyz} answers 200
 * if the server can work, otherwise 503. The format is text, or JSON if the request accepts it.
 */
final class HealthRoutes {
  private static final String JSON = "application/json";

  private final Readiness readiness;

  private HealthRoutes(ServerContext serverContext) {
    this.readiness = new Readiness(serverContext);
  }

  static void mount(OperationHandlers handlers, ServerContext serverContext) {
    HealthRoutes routes = new HealthRoutes(serverContext);
    handlers.on(Operation.LIVE, context -> answer(context, Readiness.Health.of("ready"), "ok"));
    handlers.on(Operation.READY, routes::ready);
  }

  private void ready(RoutingContext context) {
    SubscriberContext.REQUIRED
        .apply(readiness.check())
        .subscribe(
            health -> answer(context, health, health.isReady() ? "ok" : health.text()),
            context::fail);
  }

  private static void answer(RoutingContext context, Readiness.Health health, String text) {
    HttpServerResponse response = context.response();
    if (response.closed()) {
      return;
    }
    response.setStatusCode(health.isReady() ? 200 : 503).putHeader("Cache-Control", "no-store");
    String accept = context.request().getHeader("Accept");
    if (accept != null && accept.contains(JSON)) {
      ObjectNode json = JsonNodeFactory.instance.objectNode();
      json.put("status", health.status());
      if (!health.failures().isEmpty()) {
        ArrayNode failures = json.putArray("failures"); // names of databases are private
        new TreeSet<>(health.failures().values()).forEach(failures::add);
      }
      if (!health.warnings().isEmpty()) {
        health.warnings().forEach(json.putArray("warnings")::add);
      }
      response.putHeader("Content-Type", JSON);
      ResponseBodies.send(context, json);
    } else {
      response.putHeader("Content-Type", "text/plain; charset=utf-8");
      ResponseBodies.send(context, text + "\n");
    }
  }
}
