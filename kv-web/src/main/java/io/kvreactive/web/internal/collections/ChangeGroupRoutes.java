package io.kvreactive.web.internal.collections;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.ChangeGroup;
import io.kvreactive.documents.ChangeGroup.Lease;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.FeedRange;
import io.kvreactive.protocol.CollectionMessages;
import io.kvreactive.protocol.CollectionMessages.NewGroup;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.http.RequestContext;
import io.kvreactive.web.internal.rest.OperationRoutes;
import io.kvreactive.web.internal.rest.Preconditions;
import io.kvreactive.web.internal.rest.QueryParams;
import io.kvreactive.web.internal.rest.Responses;
import io.kvreactive.web.internal.rest.StrictJson;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import reactor.core.publisher.Mono;

/** Routes of the leases of groups that process the changes of a collection. */
final class ChangeGroupRoutes {
  private ChangeGroupRoutes() {}

  static void mount(OperationRoutes routes) {
    routes.plain(Operation.GET_CHANGE_GROUP, ChangeGroupRoutes::get);
    routes.body(
        Operation.CREATE_CHANGE_GROUP, ChangeGroupRoutes::creation, ChangeGroupRoutes::create);
    routes.body(Operation.PUT_CHANGE_LEASE, ChangeGroupRoutes::lease, ChangeGroupRoutes::replace);
  }

  private static ChangeGroup<ObjectNode> group(RoutingContext context) {
    return CollectionParams.collection(context)
        .changeGroup(RequestContext.of(context).name("group"));
  }

  private static void get(RoutingContext context) {
    var unused = QueryParams.of(context);
    answer(context, group(context).leases());
  }

  private static void answer(RoutingContext context, Mono<List<Lease>> leases) {
    Responses.when(
        context, leases, found -> Responses.json(context, CollectionMessages.LEASES.write(found)));
  }

  private static NewGroup creation(RoutingContext context) {
    return StrictJson.read(OperationRoutes.json(context), "body", CollectionMessages.NEW_GROUP);
  }

  private static void create(RoutingContext context, NewGroup requested) {
    var unused = QueryParams.of(context);
    answer(context, group(context).create(requested.ranges(), requested.since()));
  }

  private static Lease lease(RoutingContext context) {
    Versionstamp version = Preconditions.mustMatch(context);
    if (version == null) {
      throw StrictJson.bad("If-Match is missing (expected: the versionstamp of the lease)");
    }
    Lease lease =
        StrictJson.read(OperationRoutes.json(context), "body", CollectionMessages.NEW_LEASE);
    return new Lease(
        range(RequestContext.of(context).name("range")),
        version,
        lease.owner(),
        lease.wanted(),
        lease.continuation());
  }

  private static int range(String text) {
    if (!text.matches("0|[1-9][0-9]{0,3}") || Integer.parseInt(text) >= FeedRange.MAX_COUNT) {
      throw StrictJson.bad(
          "range: \"%s\" (expected: the number of a range, from 0)"
              .formatted(StrictJson.excerpt(text)));
    }
    return Integer.parseInt(text);
  }

  private static void replace(RoutingContext context, Lease lease) {
    var unused = QueryParams.of(context);
    Responses.when(
        context,
        group(context)
            .replace(lease)
            .switchIfEmpty(
                Mono.error(
                    () ->
                        new DocumentException(
                            DocumentErrorCode.ETAG_MISMATCH,
                            "lease %d: has changed (expected: version %s)"
                                .formatted(lease.range(), lease.versionstamp())))),
        stored -> {
          Responses.stamp(context, stored.versionstamp());
          Responses.json(context, CollectionMessages.LEASE.write(stored));
        });
  }
}
