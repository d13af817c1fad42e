package io.kvreactive.web.internal.collections;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.Versionstamp;
import io.kvreactive.index.Collection;
import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.IndexException;
import io.kvreactive.index.IndexingDirective;
import io.kvreactive.index.Item;
import io.kvreactive.index.PatchOperation;
import io.kvreactive.index.WriteOptions;
import io.kvreactive.web.internal.auth.Access;
import io.kvreactive.web.internal.rest.Conditions;
import io.kvreactive.web.internal.rest.Json;
import io.kvreactive.web.internal.rest.Query;
import io.kvreactive.web.internal.rest.Replies;
import io.kvreactive.web.internal.rest.Routes;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Locale;
import reactor.core.publisher.Mono;

/** Items, one at a time. */
final class ItemRoutes {
  private static final String DIRECTIVE = "X-Kv-Indexing-Directive";

  private ItemRoutes() {}

  static void mount(Routes routes, String path) {
    String one = path + "/:id";
    routes.body(HttpMethod.POST, path, ItemRoutes::document, ItemRoutes::create, Replies.JSON);
    routes.plain(HttpMethod.GET, one, ItemRoutes::get);
    routes.body(HttpMethod.PUT, one, ItemRoutes::document, ItemRoutes::put, Replies.JSON);
    routes.body(HttpMethod.PATCH, one, ItemRoutes::operations, ItemRoutes::patch, Replies.JSON);
    routes.plain(HttpMethod.DELETE, one, ItemRoutes::delete);
  }

  private static void create(RoutingContext context, ObjectNode document) {
    var unused = Query.of(context);
    Collection<ObjectNode> items = Asked.collection(context, Access.WRITE);
    answer(context, 201, items.create(document, options(context)));
  }

  /** Creates or replaces; with a condition only one of the two. */
  private static void put(RoutingContext context, ObjectNode document) {
    var unused = Query.of(context);
    Collection<ObjectNode> items = Asked.collection(context, Access.WRITE);
    String id = Asked.id(context);
    JsonNode its = document.get("id");
    if (its != null && !its.equals(document.textNode(id))) {
      throw Json.bad(
          "id: %s (expected: \"%s\", as in the path)".formatted(Json.excerpt(its.toString()), id));
    }
    document.put("id", id);
    WriteOptions options = options(context);
    if (Conditions.mustBeAbsent(context)) {
      answer(context, 201, items.create(document, options));
    } else if (options.ifMatch() != null) {
      answer(context, 200, items.replace(document, options));
    } else {
      answer(context, 200, items.upsert(document, options));
    }
  }

  private static List<PatchOperation> operations(RoutingContext context) {
    return PatchJson.operations(Routes.json(context));
  }

  private static void patch(RoutingContext context, List<PatchOperation> operations) {
    Query query = Query.of(context, Asked.PARTITION);
    Collection<ObjectNode> items = Asked.collection(context, Access.WRITE);
    answer(
        context,
        200,
        items.patch(
            Asked.id(context),
            Asked.partition(query),
            operations,
            options(context)));
  }

  private static void get(RoutingContext context) {
    Query query = Query.of(context, Asked.PARTITION);
    Collection<ObjectNode> items = Asked.collection(context, Access.READ);
    String id = Asked.id(context);
    Mono<Item<ObjectNode>> read =
        items.read(id, Asked.partition(query)).switchIfEmpty(Mono.error(() -> absent(id)));
    Replies.when(
        context,
        read,
        item -> {
          tag(context, item.etag());
          if (Conditions.isCurrent(context, item.etag())) {
            context.response().setStatusCode(304).end();
          } else {
            Replies.json(context, item.value());
          }
        });
  }

  private static void delete(RoutingContext context) {
    Query query = Query.of(context, Asked.PARTITION);
    Collection<ObjectNode> items = Asked.collection(context, Access.WRITE);
    String id = Asked.id(context);
    Replies.when(
        context,
        items
            .delete(id, Asked.partition(query), options(context))
            .switchIfEmpty(Mono.error(() -> absent(id))),
        deleted -> Replies.committed(context, deleted));
  }

  private static IndexException absent(String id) {
    return new IndexException(
        IndexErrorCode.ITEM_NOT_FOUND, "there is no item \"" + Json.excerpt(id) + "\"");
  }

  private static void answer(RoutingContext context, int status, Mono<Item<ObjectNode>> written) {
    Replies.when(
        context,
        written,
        item -> {
          tag(context, item.etag());
          Replies.stamp(context, item.etag());
          context.response().setStatusCode(status);
          Replies.json(context, item.value());
        });
  }

  private static void tag(RoutingContext context, Versionstamp etag) {
    context.response().putHeader("ETag", "\"" + etag + "\"");
  }

  private static ObjectNode document(RoutingContext context) {
    JsonNode body = Routes.json(context);
    if (body instanceof ObjectNode document) {
      return document;
    }
    throw Json.bad("body: %s (expected: an object)".formatted(Json.excerpt(body.toString())));
  }

  private static WriteOptions options(RoutingContext context) {
    return WriteOptions.DEFAULT
        .withIfMatch(Conditions.mustMatch(context))
        .withDirective(directive(context.request().getHeader(DIRECTIVE)));
  }

  private static IndexingDirective directive(@org.jspecify.annotations.Nullable String header) {
    if (header == null) {
      return IndexingDirective.DEFAULT;
    }
    return switch (header.strip().toLowerCase(Locale.ROOT)) {
      case "default" -> IndexingDirective.DEFAULT;
      case "include" -> IndexingDirective.INCLUDE;
      case "exclude" -> IndexingDirective.EXCLUDE;
      default ->
          throw Json.bad(
              "%s: %s (expected: default, include or exclude)"
                  .formatted(DIRECTIVE, Json.excerpt(header)));
    };
  }
}
