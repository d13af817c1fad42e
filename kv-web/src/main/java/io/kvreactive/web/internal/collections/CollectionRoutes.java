package io.kvreactive.web.internal.collections;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.index.CollectionDefinition;
import io.kvreactive.index.CollectionInfo;
import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.IndexException;
import io.kvreactive.index.KvIndex;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.http.Audited;
import io.kvreactive.web.internal.http.Call;
import io.kvreactive.web.internal.http.WebErrorCode;
import io.kvreactive.web.internal.http.WebException;
import io.kvreactive.web.internal.rest.Conditions;
import io.kvreactive.web.internal.rest.Json;
import io.kvreactive.web.internal.rest.ProgressLines;
import io.kvreactive.web.internal.rest.Query;
import io.kvreactive.web.internal.rest.Replies;
import io.kvreactive.web.internal.rest.Routes;
import io.vertx.ext.web.RoutingContext;
import reactor.core.publisher.Mono;

/** Definitions: which collections there are, their indexes, and how far those are. */
public final class CollectionRoutes {
  private static final String SIZES = "sizes";

  private CollectionRoutes() {}

  /** Mounts the routes of this package below a database's path. */
  public static void mount(Routes routes) {
    routes.plain(Operation.LIST_COLLECTIONS, CollectionRoutes::list);
    routes.plain(Operation.GET_COLLECTION, CollectionRoutes::get);
    routes.body(
        Operation.DEFINE_COLLECTION,
        CollectionRoutes::definition,
        CollectionRoutes::put,
        Replies.JSON);
    routes.plain(Operation.DROP_COLLECTION, CollectionRoutes::drop);
    routes.plain(Operation.TRANSFORMATION, CollectionRoutes::transformation);
    ItemRoutes.mount(routes);
    LoadRoutes.mount(routes);
    QueryRoutes.mount(routes);
  }

  private static void list(RoutingContext context) {
    var unused = Query.of(context);
    Replies.when(
        context,
        Call.of(context).index().collections().collectList(),
        found -> {
          ObjectNode body = Json.object();
          ArrayNode array = body.putArray("collections");
          found.forEach(info -> array.add(InfoJson.of(info)));
          Replies.json(context, body);
        });
  }

  private static void get(RoutingContext context) {
    boolean sizes = Query.of(context, SIZES).flag(SIZES);
    String name = Asked.name(context);
    KvIndex index = Call.of(context).index();
    Mono<ObjectNode> body =
        index
            .describe(name)
            .switchIfEmpty(Mono.error(() -> absent(name)))
            .flatMap(
                info ->
                    sizes
                        ? Asked.collection(context)
                            .sizes()
                            .map(counted -> InfoJson.of(info, counted))
                        : Mono.just(InfoJson.of(info)));
    Replies.when(context, body, json -> Replies.json(context, json));
  }

  static IndexException absent(String name) {
    return new IndexException(
        IndexErrorCode.COLLECTION_NOT_FOUND, "there is no collection \"" + name + "\"");
  }

  /**
   * What a request to define a collection says.
   *
   * @param mustCreate whether it may not be there
   */
  private record Definition(Defined asked, boolean mustCreate) {}

  private static Definition definition(RoutingContext context) {
    var unused = Query.of(context);
    boolean mustCreate = Conditions.mustBeAbsent(context);
    if (Conditions.mustMatch(context) != null) {
      throw Json.bad("If-Match (expected: no condition on a definition but If-None-Match: *)");
    }
    return new Definition(Defined.of(Routes.json(context)), mustCreate);
  }

  /**
   * Creates it, or begins to put another definition into effect; of several that must create it one
   * does.
   */
  private static void put(RoutingContext context, Definition request) {
    CollectionDefinition definition = request.asked().definition();
    String name = Asked.name(context);
    KvIndex index = Call.of(context).index();
    Audited.done(context, "collection.defined").with("collection", name).log();
    Mono<CollectionInfo> defined =
        index
            .create(name, definition)
            .doOnNext(created -> context.response().setStatusCode(201))
            .onErrorResume(
                failure -> is(failure, IndexErrorCode.COLLECTION_EXISTS),
                there ->
                    request.mustCreate()
                        ? Mono.error(new WebException(WebErrorCode.CHECK_FAILED, isThere(name)))
                        : Asked.collection(context)
                            .replaceDefinition(definition)
                            .next() // goes on without us
                            .then(index.describe(name))
                            .switchIfEmpty(Mono.error(() -> absent(name)))); // dropped since
    Replies.when(context, defined, info -> Replies.json(context, request.asked().answer(info)));
  }

  private static String isThere(String name) {
    return "collection \"" + name + "\" is there (expected: none, as If-None-Match: * says)";
  }

  static boolean is(Throwable failure, IndexErrorCode code) {
    return failure instanceof IndexException known && known.code() == code;
  }

  private static void drop(RoutingContext context) {
    var unused = Query.of(context);
    String name = Asked.name(context);
    KvIndex index = Call.of(context).index();
    Audited.done(context, "collection.dropped").with("collection", name).log();
    Replies.when(
        context,
        index.drop(name),
        dropped -> {
          if (!dropped) {
            throw absent(name);
          }
          context.response().setStatusCode(204).end();
        });
  }

  private static void transformation(RoutingContext context) {
    var unused = Query.of(context);
    ProgressLines.answer(
        context,
        Asked.collection(context).transformation().onBackpressureLatest().map(InfoJson::of));
  }
}
