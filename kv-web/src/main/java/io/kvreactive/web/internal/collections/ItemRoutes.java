package io.kvreactive.web.internal.collections;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.CollectionInfo;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.IndexingDirective;
import io.kvreactive.documents.Item;
import io.kvreactive.documents.PartitionKey;
import io.kvreactive.documents.WriteOptions;
import io.kvreactive.protocol.RequestMessages;
import io.kvreactive.protocol.RequestMessages.PatchRequest;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.http.RequestContext;
import io.kvreactive.web.internal.rest.OperationRoutes;
import io.kvreactive.web.internal.rest.Preconditions;
import io.kvreactive.web.internal.rest.QueryParams;
import io.kvreactive.web.internal.rest.Responses;
import io.kvreactive.web.internal.rest.RowText;
import io.kvreactive.web.internal.rest.StrictJson;
import io.vertx.ext.web.RoutingContext;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import reactor.core.publisher.Mono;

/** Routes of single items. */
final class ItemRoutes {
  private static final String DIRECTIVE = "X-Kv-Indexing-Directive";

  /** Maximum length of a Location; many clients accept no headers of more than 8 KiB. */
  private static final int MAX_LOCATION = 2048;

  private ItemRoutes() {}

  static void mount(OperationRoutes routes) {
    routes.body(Operation.CREATE_ITEM, ItemRoutes::document, ItemRoutes::create);
    routes.plain(Operation.GET_ITEM, ItemRoutes::get);
    routes.body(Operation.PUT_ITEM, ItemRoutes::document, ItemRoutes::put);
    routes.body(Operation.PATCH_ITEM, ItemRoutes::patchOf, ItemRoutes::patch);
    routes.plain(Operation.DELETE_ITEM, ItemRoutes::delete);
    // the id is a JSON string in the query, because a path cannot contain lone surrogates
    routes.plain(Operation.GET_ITEM_BY_ID, ItemRoutes::get);
    routes.body(Operation.PUT_ITEM_BY_ID, ItemRoutes::document, ItemRoutes::put);
    routes.body(Operation.PATCH_ITEM_BY_ID, ItemRoutes::patchOf, ItemRoutes::patch);
    routes.plain(Operation.DELETE_ITEM_BY_ID, ItemRoutes::delete);
  }

  private static void create(RoutingContext context, ObjectNode document) {
    var unused = QueryParams.of(context);
    DocumentCollection<ObjectNode> items = CollectionParams.collection(context);
    answer(
        context,
        201,
        items.create(document, options(context)).delayUntil(created -> locate(context, created)));
  }

  /**
   * Sets the Location of a created item, relative to the path of the request, of which a proxy may
   * have removed a part. Never fails, since the item exists.
   */
  private static Mono<CollectionInfo> locate(RoutingContext context, Item<ObjectNode> created) {
    return RequestContext.of(context)
        .documents()
        .describe(CollectionParams.name(context))
        .doOnNext(
            info -> {
              PartitionKey partition = info.definition().partitionKeyOf(created.value());
              String location =
                  (context.request().path().endsWith("/") ? "../items?id=" : "items?id=")
                      + encoded(created.value().get("id"))
                      + (partition.values().isEmpty()
                          ? ""
                          : "&partitionKey="
                              + encoded(ServerMessages.REQUESTS.partitionKey.write(partition)));
              if (location.length() <= MAX_LOCATION) {
                context.response().putHeader("Location", location);
              }
            })
        .onErrorComplete();
  }

  private static String encoded(JsonNode json) {
    String text = new String(StrictJson.bytes(json), StandardCharsets.UTF_8);
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** Creates or replaces an item. A precondition restricts this to one of the two. */
  private static void put(RoutingContext context, ObjectNode document) {
    String id = CollectionParams.id(context, CollectionParams.item(context));
    DocumentCollection<ObjectNode> items = CollectionParams.collection(context);
    JsonNode itemId = document.get("id");
    if (itemId != null && !itemId.equals(document.textNode(id))) {
      throw StrictJson.bad(
          "id: %s (expected: \"%s\", as in the path)"
              .formatted(StrictJson.excerpt(itemId.toString()), id));
    }
    document.put("id", id);
    if (Preconditions.mustExist(context)) {
      IndexingDirective directive = directive(context);
      answer(context, 200, items.replace(document, WriteOptions.DEFAULT.withDirective(directive)));
      return;
    }
    WriteOptions options = options(context);
    if (Preconditions.mustBeAbsent(context)) {
      answer(context, 201, items.create(document, options));
    } else if (options.ifMatch() != null) {
      answer(context, 200, items.replace(document, options));
    } else {
      Responses.when(
          context,
          items.put(document, options),
          result -> answer(context, result.isCreated() ? 201 : 200, result.item()));
    }
  }

  private static PatchRequest patchOf(RoutingContext context) {
    return StrictJson.read(OperationRoutes.json(context), "body", ServerMessages.REQUESTS.patch);
  }

  private static void patch(RoutingContext context, PatchRequest patch) {
    if (patch.filter() != null) {
      RequestContext.of(context)
          .authorize(Operation.GET_ITEM); // the answer reveals the content of the item
    }
    QueryParams query = CollectionParams.item(context, CollectionParams.PARTITION);
    DocumentCollection<ObjectNode> items = CollectionParams.collection(context);
    Mono<Item<ObjectNode>> patched =
        items.patch(
            CollectionParams.id(context, query),
            CollectionParams.partition(query),
            patch.operations(),
            patch.options(options(context)));
    answer(
        context,
        200,
        RequestContext.of(context).grant().reads()
            ? patched
            : patched.onErrorMap(ItemRoutes::isOfContent, ItemRoutes::withoutContent));
  }

  /** Returns true if the error may quote content of the stored item. */
  private static boolean isOfContent(Throwable failure) {
    return failure instanceof DocumentException known
        && switch (known.code()) {
          case INVALID_ITEM, ITEM_TOO_LARGE, INVALID_PATCH -> true;
          default -> false;
        };
  }

  private static DocumentException withoutContent(Throwable failure) {
    return new DocumentException(
        DocumentErrorCode.INVALID_PATCH, "the patch cannot be applied", failure);
  }

  private static void get(RoutingContext context) {
    QueryParams query = CollectionParams.item(context, CollectionParams.PARTITION);
    DocumentCollection<RowText> items = CollectionParams.collection(context, RowText.class);
    String id = CollectionParams.id(context, query);
    Mono<Item<RowText>> read =
        items
            .read(id, CollectionParams.partition(query))
            .switchIfEmpty(Mono.error(() -> absent(id)));
    Responses.when(
        context,
        read,
        item -> {
          tag(context, item.etag());
          if (Preconditions.isCurrent(context, item.etag())) {
            context.response().setStatusCode(304).end();
          } else {
            Responses.json(context, item.value().json().getBytes(StandardCharsets.UTF_8));
          }
        });
  }

  private static void delete(RoutingContext context) {
    QueryParams query = CollectionParams.item(context, CollectionParams.PARTITION);
    DocumentCollection<ObjectNode> items = CollectionParams.collection(context);
    String id = CollectionParams.id(context, query);
    Responses.when(
        context,
        items
            .delete(id, CollectionParams.partition(query), options(context))
            .switchIfEmpty(Mono.error(() -> absent(id))),
        deleted -> Responses.committed(context, deleted));
  }

  private static DocumentException absent(String id) {
    return new DocumentException(
        DocumentErrorCode.ITEM_NOT_FOUND, "item \"" + StrictJson.excerpt(id) + "\" not found");
  }

  private static void answer(RoutingContext context, int status, Mono<Item<ObjectNode>> written) {
    Responses.when(context, written, item -> answer(context, status, item));
  }

  private static void answer(RoutingContext context, int status, Item<ObjectNode> written) {
    tag(context, written.etag());
    Responses.stamp(context, written.etag());
    context.response().setStatusCode(status);
    Responses.json(
        context, RequestContext.of(context).grant().reads() ? written.value() : receipt(written));
  }

  /** Returns the response to a write by a caller without READ access. */
  private static ObjectNode receipt(Item<ObjectNode> item) {
    return StrictJson.object().put("id", item.id()).put("_etag", item.etag().toString());
  }

  private static void tag(RoutingContext context, Versionstamp etag) {
    context.response().putHeader("ETag", "\"" + etag + "\"");
  }

  private static ObjectNode document(RoutingContext context) {
    JsonNode body = OperationRoutes.json(context);
    if (body instanceof ObjectNode document) {
      return document;
    }
    throw StrictJson.bad(
        "body: %s (expected: an object)".formatted(StrictJson.excerpt(body.toString())));
  }

  private static WriteOptions options(RoutingContext context) {
    return WriteOptions.DEFAULT
        .withIfMatch(Preconditions.mustMatch(context))
        .withDirective(directive(context));
  }

  private static IndexingDirective directive(RoutingContext context) {
    String header = context.request().getHeader(DIRECTIVE);
    return header == null
        ? IndexingDirective.DEFAULT
        : StrictJson.read(
            TextNode.valueOf(header.strip().toLowerCase(Locale.ROOT)),
            DIRECTIVE,
            RequestMessages.DIRECTIVE);
  }
}
