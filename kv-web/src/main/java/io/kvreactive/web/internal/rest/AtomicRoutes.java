package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.CommitResult;
import io.kvreactive.Versionstamp;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Enqueue;
import io.kvreactive.spi.Mutation;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.List;

/** Atomic commits of checks, changes and messages. */
final class AtomicRoutes {
  private AtomicRoutes() {}

  static void mount(Routes routes) {
    routes.body(HttpMethod.POST, "/atomic", AtomicRoutes::commit, Replies.JSON);
  }

  private static void commit(RoutingContext context) {
    var unused = Query.of(context);
    Fields body = Fields.of(Routes.json(context), "body", "checks", "mutations", "enqueues");
    List<Check> checks = new ArrayList<>();
    for (JsonNode json : body.elements("checks")) {
      Fields check = Fields.of(json, "checks[" + checks.size() + "]", "key", "versionstamp");
      checks.add(new Check(check.key("key").bytes(), check.versionstamp("versionstamp")));
    }
    List<Mutation> mutations = new ArrayList<>();
    for (JsonNode json : body.elements("mutations")) {
      mutations.add(Mutations.of(context, json, "mutations[" + mutations.size() + "]"));
    }
    List<Enqueue> enqueues = new ArrayList<>();
    for (JsonNode json : body.elements("enqueues")) {
      enqueues.add(Messages.enqueue(context, json, "enqueues[" + enqueues.size() + "]"));
    }
    Commit commit = Writes.commit(context, checks, mutations, enqueues);
    Replies.when(context, Writes.run(context, commit), result -> answer(context, result));
  }

  private static void answer(RoutingContext context, CommitResult result) {
    ObjectNode body = Json.object();
    body.put("committed", result.committed());
    Versionstamp versionstamp = result.versionstamp();
    if (versionstamp != null) {
      Replies.stamp(context, versionstamp);
      body.put("versionstamp", versionstamp.toString());
    } else {
      ArrayNode failed = body.putArray("failedChecks");
      result.failedChecks().forEach(failed::add);
    }
    Replies.json(context, body);
  }
}
