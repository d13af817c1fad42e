package io.kvreactive.web.internal.collections;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvError;
import io.kvreactive.LoadProgress;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.protocol.CollectionMessages;
import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.http.AuditEntries;
import io.kvreactive.web.internal.http.RequestContext;
import io.kvreactive.web.internal.rest.LineUpload;
import io.kvreactive.web.internal.rest.OperationRoutes;
import io.kvreactive.web.internal.rest.Preconditions;
import io.kvreactive.web.internal.rest.ProgressLines;
import io.kvreactive.web.internal.rest.QueryParams;
import io.kvreactive.web.internal.rest.Responses;
import io.kvreactive.web.internal.rest.StrictJson;
import io.vertx.ext.web.RoutingContext;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Routes of collections: definitions, indexes, the progress of index builds, and loads. */
public final class CollectionRoutes {
  private static final String SIZES = "sizes";

  private CollectionRoutes() {}

  /** Mounts all routes of this package below the path of a database. */
  public static void mount(OperationRoutes routes, ServerContext serverContext) {
    routes.plain(Operation.LIST_COLLECTIONS, CollectionRoutes::list);
    routes.plain(Operation.GET_COLLECTION, CollectionRoutes::get);
    routes.body(Operation.DEFINE_COLLECTION, CollectionRoutes::definition, CollectionRoutes::put);
    routes.plain(Operation.DROP_COLLECTION, CollectionRoutes::drop);
    routes.plain(Operation.FOLLOW_TRANSFORMATION, CollectionRoutes::transformation);
    routes.streamed(Operation.LOAD_ITEMS, CollectionRoutes::load);
    ItemRoutes.mount(routes);
    PartitionRoutes.mount(routes);
    ItemChangeRoutes.mount(routes, serverContext);
    ChangeGroupRoutes.mount(routes);
    QueryRoutes.mount(routes);
  }

  private static void list(RoutingContext context) {
    var unused = QueryParams.of(context);
    Responses.when(
        context,
        RequestContext.of(context).documents().collections().collectList(),
        found -> Responses.json(context, CollectionMessages.COLLECTIONS.write(found)));
  }

  private static void get(RoutingContext context) {
    boolean sizes = QueryParams.of(context, SIZES).flag(SIZES);
    String name = CollectionParams.name(context);
    DocumentStore documents = RequestContext.of(context).documents();
    Mono<ObjectNode> body =
        documents
            .describe(name)
            .switchIfEmpty(Mono.error(() -> absent(name)))
            .map(CollectionMessages.COLLECTION::writeObject)
            .flatMap(
                json ->
                    sizes
                        ? CollectionParams.collection(context)
                            .sizes()
                            .map(
                                counted ->
                                    json.<ObjectNode>setAll(
                                        CollectionMessages.SIZES_OF_COLLECTION.writeObject(
                                            counted)))
                        : Mono.just(json));
    Responses.when(context, body, json -> Responses.json(context, json));
  }

  static DocumentException absent(String name) {
    return new DocumentException(
        DocumentErrorCode.COLLECTION_NOT_FOUND, "collection \"" + name + "\" does not exist");
  }

  /**
   * A request to define a collection.
   *
   * @param mustCreate true if the collection must not exist
   * @param mustExist true if the collection must exist
   */
  private record Definition(DefinitionRequest requested, boolean mustCreate, boolean mustExist) {}

  private static Definition definition(RoutingContext context) {
    var unused = QueryParams.of(context);
    boolean mustCreate = Preconditions.mustBeAbsent(context);
    boolean mustExist = Preconditions.mustExist(context);
    if (!mustExist && Preconditions.mustMatch(context) != null) {
      throw StrictJson.bad("If-Match (expected: no condition, If-Match: * or If-None-Match: *)");
    }
    return new Definition(
        DefinitionRequest.of(OperationRoutes.json(context), CollectionParams.name(context)),
        mustCreate,
        mustExist);
  }

  /**
   * Creates a collection, or starts the transformation to another definition. Of concurrent
   * requests that must create the collection, one succeeds.
   */
  private static void put(RoutingContext context, Definition request) {
    DefinitionRequest requested = request.requested();
    String name = CollectionParams.name(context);
    DocumentStore documents = RequestContext.of(context).documents();
    DocumentException notCreated = request.mustCreate() ? null : requested.notCreated();
    Mono<ObjectNode> defined;
    if (request.mustExist() || notCreated != null) {
      defined = replaced(context, requested, request.mustExist() ? null : notCreated);
    } else {
      DefinitionRequest.Parsed parsed = requested.created();
      defined =
          documents
              .create(name, parsed.definition())
              .doOnNext(created -> context.response().setStatusCode(201))
              .map(parsed::answer)
              .onErrorResume(
                  failure -> KvError.is(failure, DocumentErrorCode.COLLECTION_EXISTS),
                  existing ->
                      request.mustCreate()
                          ? Mono.error(
                              new WebException(WebErrorCode.CHECK_FAILED, alreadyExists(name)))
                          : replaced(context, requested, null));
    }
    AuditEntries.done(context, "collection.defined").with("collection", name).log();
    Responses.when(context, defined, answer -> Responses.json(context, answer));
  }

  /**
   * Starts the transformation of an existing collection, which continues in the background.
   *
   * @param ifAbsent the failure if the collection does not exist; null for COLLECTION_NOT_FOUND
   */
  private static Mono<ObjectNode> replaced(
      RoutingContext context, DefinitionRequest requested, @Nullable DocumentException ifAbsent) {
    String name = CollectionParams.name(context);
    DocumentStore documents = RequestContext.of(context).documents();
    return documents
        .describe(name)
        .flatMap(
            info -> {
              DefinitionRequest.Parsed replacing = requested.replacing(info.definition());
              return CollectionParams.collection(context)
                  .replaceDefinition(replacing.definition())
                  .next()
                  .then(documents.describe(name))
                  .map(replacing::answer);
            })
        .switchIfEmpty(Mono.error(() -> ifAbsent == null ? absent(name) : ifAbsent));
  }

  private static String alreadyExists(String name) {
    return "collection \"" + name + "\" already exists";
  }

  private static void drop(RoutingContext context) {
    var unused = QueryParams.of(context);
    String name = CollectionParams.name(context);
    DocumentStore documents = RequestContext.of(context).documents();
    AuditEntries.done(context, "collection.dropped").with("collection", name).log();
    Responses.when(
        context,
        documents.drop(name),
        dropped -> {
          if (!dropped) {
            throw absent(name);
          }
          context.response().setStatusCode(204).end();
        });
  }

  private static void transformation(RoutingContext context) {
    var unused = QueryParams.of(context);
    ProgressLines.answer(
        context,
        CollectionParams.collection(context)
            .transformation()
            .onBackpressureLatest()
            .map(CollectionMessages.TRANSFORMATION::writeObject));
  }

  /** Loads items from lines of JSON as they arrive. */
  private static void load(RoutingContext context, Supplier<LineUpload> body) {
    var unused = QueryParams.of(context);
    DocumentStore documents = RequestContext.of(context).documents();
    String name = CollectionParams.name(context);
    DocumentCollection<ObjectNode> items = documents.collection(name, ObjectNode.class);
    LineUpload upload = body.get();
    Flux<LoadProgress> load =
        documents
            .describe(name) // fails early if the collection does not exist, even without lines
            .switchIfEmpty(Mono.error(() -> absent(name)))
            .doOnError(e -> upload.discard())
            .flatMapMany(
                ignored -> ItemLines.load(items, upload.lines(), upload.share(), upload.trees()));
    LineUpload.answer(context, "items", load);
  }
}
