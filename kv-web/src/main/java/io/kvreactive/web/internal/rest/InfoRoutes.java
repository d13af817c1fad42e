package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvStats;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.auth.TokenJson;
import io.kvreactive.web.internal.http.RequestContext;
import io.vertx.ext.web.RoutingContext;
import java.time.Instant;
import java.util.List;

/** Routes of information: limits, databases, statistics and queues. */
final class InfoRoutes {
  private final ServerContext serverContext;

  private InfoRoutes(ServerContext serverContext) {
    this.serverContext = serverContext;
  }

  static void mount(OperationRoutes routes, ServerContext serverContext) {
    InfoRoutes info = new InfoRoutes(serverContext);
    routes.plain(Operation.INFO, info::info);
    routes.plain(Operation.DATABASES, info::databases);
    routes.plain(Operation.STATS, InfoRoutes::stats);
    routes.plain(Operation.QUEUES, InfoRoutes::queues);
  }

  private void info(RoutingContext context) {
    var unused = QueryParams.of(context);
    RequestContext requestContext = RequestContext.of(context);
    ObjectNode body = StrictJson.object();
    body.put("version", version());
    body.put("database", requestContext.database().name());
    body.put("databaseId", requestContext.database().id().toString());
    body.put("now", requestContext.kv().engine().now());
    body.set("limits", StrictJson.tree(requestContext.kv().limits()));
    body.put("maxBodyBytes", serverContext.options().maxBodyBytes());
    body.set("grant", grant(requestContext.grant()));
    Responses.json(context, body);
  }

  private static String version() {
    String version = InfoRoutes.class.getPackage().getImplementationVersion();
    return version == null ? "dev" : version;
  }

  private static ObjectNode grant(Grant grant) {
    Instant end = grant.expiresAt();
    return TokenJson.rights(grant.name(), grant.access(), grant.prefixes(), grant.databases())
        .put("expiresAt", end == null ? null : end.toEpochMilli());
  }

  private void databases(RoutingContext context) {
    var unused = QueryParams.of(context);
    Grant grant = RequestContext.of(context).grant();
    Responses.when(
        context,
        serverContext.databases().names(),
        names -> {
          ObjectNode body = StrictJson.object();
          ArrayNode array = body.putArray("databases");
          names.stream()
              .filter(name -> grant.databases().isEmpty() || grant.databases().contains(name))
              .forEach(name -> array.addObject().put("name", name));
          Responses.json(context, body);
        });
  }

  private static void stats(RoutingContext context) {
    var unused = QueryParams.of(context);
    Responses.when(
        context,
        RequestContext.of(context).kv().admin().stats(),
        stats -> {
          Responses.stamp(context, stats.version());
          Responses.json(
              context, StatsJson.of(stats, RequestContext.of(context).database().threads()));
        });
  }

  private static void queues(RoutingContext context) {
    var unused = QueryParams.of(context);
    Responses.when(
        context,
        RequestContext.of(context).kv().admin().stats().map(KvStats::queues),
        queues -> answer(context, queues));
  }

  private static void answer(RoutingContext context, List<KvStats.Queue> queues) {
    ObjectNode body = StrictJson.object();
    body.set("queues", StatsJson.queues(queues));
    Responses.json(context, body);
  }
}
