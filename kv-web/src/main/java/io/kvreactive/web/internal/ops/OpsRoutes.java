package io.kvreactive.web.internal.ops;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.internal.shared.SubscriberContext;
import io.kvreactive.web.MetricsOptions;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.database.Database;
import io.kvreactive.web.internal.http.OperationHandlers;
import io.kvreactive.web.internal.http.ResponseBodies;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.util.TreeSet;

/**
 * Routes of probes and metrics, which are answered in every state of the server.
 *
 * <p>Probes need no token. {@code /livez} answers 200 while the process runs. {@code /readyz}
 * answers 200 if the server can work, otherwise 503. The format is text, or JSON if the request
 * accepts it.
 *
 * <p>{@code /metrics} has the text format of Prometheus. Local callers without a proxy need no
 * token. Other callers need a token with METRICS or ADMIN access, or with READ access to
 * everything.
 */
public final class OpsRoutes {
  private static final String JSON = "application/json";
  private static final String METRICS = "text/plain; version=0.0.4; charset=utf-8";

  private OpsRoutes() {}

  /** Sets the handlers. */
  public static void mount(OperationHandlers handlers, ServerContext serverContext) {
    Readiness readiness = new Readiness(serverContext);
    handlers.on(Operation.LIVE, context -> answer(context, Readiness.Health.of("ready"), "ok"));
    handlers.on(Operation.READY, context -> ready(context, readiness));
    MetricsOptions metrics = serverContext.operations().metrics();
    if (metrics != null) {
      handlers.on(Operation.METRICS, context -> metrics(context, serverContext, metrics));
    }
  }

  private static void ready(RoutingContext context, Readiness readiness) {
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

  private static void metrics(
      RoutingContext context, ServerContext serverContext, MetricsOptions metrics) {
    for (Database database : serverContext.databases().opened()) {
      serverContext.meters().bind(database, metrics.registry());
    }
    serverContext
        .vertx()
        .executeBlocking(metrics.scrape()::get, false)
        .onComplete(
            text -> {
              context.response().putHeader("Content-Type", METRICS);
              ResponseBodies.send(context, text);
            },
            context::fail);
  }
}
