package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvKey;
import io.kvreactive.KvStats;
import io.kvreactive.json.KvJson;
import io.kvreactive.web.internal.Site;
import io.kvreactive.web.internal.auth.Access;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.database.Database;
import io.kvreactive.web.internal.http.Call;
import io.vertx.ext.web.RoutingContext;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What there is, and how it is doing. */
final class InfoRoutes {
  private final Site site;

  private InfoRoutes(Site site) {
    this.site = site;
  }

  static void mount(Routes routes, Site site) {
    InfoRoutes info = new InfoRoutes(site);
    routes.plain(Operation.INFO, info::info);
    routes.plain(Operation.LIST_DATABASES, info::databases);
    routes.plain(Operation.STATS, InfoRoutes::stats);
    routes.plain(Operation.LIST_QUEUES, InfoRoutes::queues);
  }

  private void info(RoutingContext context) {
    var unused = Query.of(context);
    Call call = Call.of(context);
    ObjectNode body = Json.object();
    body.put("version", version());
    body.put("database", call.database().name());
    body.put("databaseId", call.database().id().toString());
    body.put("now", call.kv().engine().now());
    body.set("limits", StatsJson.limits(call.kv().limits()));
    body.put("maxBodyBytes", site.options().maxBodyBytes());
    body.set("grant", grant(call.grant()));
    Replies.json(context, body);
  }

  private static String version() {
    String version = InfoRoutes.class.getPackage().getImplementationVersion();
    return version == null ? "dev" : version;
  }

  private static ObjectNode grant(Grant grant) {
    ObjectNode json = Json.object();
    json.put("name", grant.name());
    ArrayNode access = json.putArray("access");
    for (Access each : Access.values()) {
      if (grant.access().contains(each)) {
        access.add(each.name());
      }
    }
    ArrayNode prefixes = json.putArray("prefixes");
    for (KvKey prefix : grant.prefixes()) {
      prefixes.add(KvJson.toJson(prefix));
    }
    ArrayNode databases = json.putArray("databases");
    grant.databases().stream().sorted().forEach(databases::add);
    Instant expiresAt = grant.expiresAt();
    json.put("expiresAt", millis(expiresAt));
    return json;
  }

  private static @Nullable Long millis(@Nullable Instant time) {
    return time == null ? null : time.toEpochMilli();
  }

  private void databases(RoutingContext context) {
    var unused = Query.of(context);
    Grant grant = Call.of(context).grant();
    ObjectNode body = Json.object();
    ArrayNode array = body.putArray("databases");
    site.databases().opened().stream()
        .map(Database::name)
        .filter(name -> grant.databases().isEmpty() || grant.databases().contains(name))
        .sorted()
        .forEach(name -> array.addObject().put("name", name));
    Replies.json(context, body);
  }

  private static void stats(RoutingContext context) {
    var unused = Query.of(context);
    Replies.when(
        context,
        Call.of(context).kv().stats(),
        stats -> {
          Replies.stamp(context, stats.version());
          Replies.json(context, StatsJson.of(stats));
        });
  }

  private static void queues(RoutingContext context) {
    var unused = Query.of(context);
    Replies.when(
        context,
        Call.of(context).kv().stats().map(KvStats::queues),
        queues -> answer(context, queues));
  }

  private static void answer(RoutingContext context, List<KvStats.Queue> queues) {
    ObjectNode body = Json.object();
    body.set("queues", StatsJson.queues(queues));
    Replies.json(context, body);
  }
}
