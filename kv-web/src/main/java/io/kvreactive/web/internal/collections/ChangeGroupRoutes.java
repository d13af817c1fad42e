package io.kvreactive.web.internal.collections;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.Versionstamp;
import io.kvreactive.index.ChangeGroup;
import io.kvreactive.index.ChangeGroup.Lease;
import io.kvreactive.index.FeedRange;
import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.IndexException;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.http.RequestContext;
import io.kvreactive.web.internal.rest.JsonFields;
import io.kvreactive.web.internal.rest.OperationRoutes;
import io.kvreactive.web.internal.rest.Preconditions;
import io.kvreactive.web.internal.rest.QueryParams;
import io.kvreactive.web.internal.rest.Responses;
import io.kvreactive.web.internal.rest.StrictJson;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Routes of the leases of groups that process the changes of a collection. */
final class ChangeGroupRoutes {
  private static final int DEFAULT_RANGES = 8;
  private static final int MAX_MEMBER_CHARS = 255;
  private static final String OWNER = "owner";
  private static final String WANTED = "wanted";
  private static final String CONTINUATION = "continuation";

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
        context,
        leases,
        found -> {
          ObjectNode body = StrictJson.object();
          ArrayNode array = body.putArray("leases");
          found.forEach(lease -> array.add(json(lease)));
          Responses.json(context, body);
        });
  }

  private static ObjectNode json(Lease lease) {
    return StrictJson.object()
        .put("range", lease.range())
        .put("versionstamp", lease.versionstamp().toString())
        .put(OWNER, lease.owner())
        .put(WANTED, lease.wanted())
        .put(CONTINUATION, lease.continuation().toString());
  }

  /** A request to create a group. */
  private record Creation(int ranges, @Nullable Versionstamp since) {}

  private static Creation creation(RoutingContext context) {
    JsonFields fields = JsonFields.of(OperationRoutes.json(context), "body", "ranges", "since");
    return new Creation(
        (int) fields.whole("ranges", DEFAULT_RANGES, 1, FeedRange.MAX_COUNT),
        fields.has("since") ? fields.versionstamp("since") : null);
  }

  private static void create(RoutingContext context, Creation requested) {
    var unused = QueryParams.of(context);
    answer(context, group(context).create(requested.ranges(), requested.since()));
  }

  private static Lease lease(RoutingContext context) {
    Versionstamp version = Preconditions.mustMatch(context);
    if (version == null) {
      throw StrictJson.bad("If-Match is missing (expected: the versionstamp of the lease)");
    }
    JsonFields fields =
        JsonFields.of(OperationRoutes.json(context), "body", OWNER, WANTED, CONTINUATION);
    Versionstamp continuation = fields.versionstamp(CONTINUATION);
    if (continuation == null) {
      throw StrictJson.bad("body: property continuation is missing");
    }
    return new Lease(
        range(RequestContext.of(context).name("range")),
        version,
        member(fields, OWNER),
        member(fields, WANTED),
        continuation);
  }

  private static int range(String text) {
    if (!text.matches("0|[1-9][0-9]{0,3}") || Integer.parseInt(text) >= FeedRange.MAX_COUNT) {
      throw StrictJson.bad(
          "range: \"%s\" (expected: the number of a range, from 0)"
              .formatted(StrictJson.excerpt(text)));
    }
    return Integer.parseInt(text);
  }

  private static @Nullable String member(JsonFields fields, String name) {
    if (!fields.has(name) || fields.isNull(name)) {
      return null;
    }
    String id = fields.text(name);
    if (id.isEmpty() || id.length() > MAX_MEMBER_CHARS) {
      throw StrictJson.bad(
          "body.%s: \"%s\" (expected: 1 to %d characters, or null)"
              .formatted(name, StrictJson.excerpt(id), MAX_MEMBER_CHARS));
    }
    return id;
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
                        new IndexException(
                            IndexErrorCode.ETAG_MISMATCH,
                            "lease %d: has changed (expected: version %s)"
                                .formatted(lease.range(), lease.versionstamp())))),
        stored -> {
          Responses.stamp(context, stored.versionstamp());
          Responses.json(context, json(stored));
        });
  }
}
