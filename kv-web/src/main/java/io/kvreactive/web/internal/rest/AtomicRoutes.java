package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.CommitResult;
import io.kvreactive.Versionstamp;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.http.RequestContext;
import io.vertx.ext.web.RoutingContext;

/** The route of commits with checks, mutations and messages. */
final class AtomicRoutes {
  private AtomicRoutes() {}

  static void mount(OperationRoutes routes) {
    routes.body(Operation.ATOMIC, AtomicRoutes::read, AtomicRoutes::commit);
  }

  private static AtomicJson read(RoutingContext context) {
    var unused = QueryParams.of(context);
    AtomicJson requested =
        AtomicJson.read(OperationRoutes.json(context), "body", RequestContext.of(context).clock());
    return new AtomicJson(WriteRequests.commit(context, requested.commit()), requested.positions());
  }

  private static void commit(RoutingContext context, AtomicJson requested) {
    Responses.when(
        context,
        WriteRequests.run(context, requested.commit()),
        result -> answer(context, requested, result));
  }

  private static void answer(RoutingContext context, AtomicJson requested, CommitResult result) {
    ObjectNode body = StrictJson.object();
    body.put("committed", result.committed());
    Versionstamp versionstamp = result.versionstamp();
    if (versionstamp != null) {
      Responses.stamp(context, versionstamp);
      body.put("versionstamp", versionstamp.toString());
    } else {
      ArrayNode failed = body.putArray("failedChecks");
      requested.failedChecks(result).forEach(failed::add);
    }
    Responses.json(context, body);
  }
}
