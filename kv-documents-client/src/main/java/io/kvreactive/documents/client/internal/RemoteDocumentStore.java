package io.kvreactive.documents.client.internal;

import io.kvreactive.KvError;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.CollectionInfo;
import io.kvreactive.documents.Definitions;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.http.client.HttpAnswer;
import io.kvreactive.http.client.HttpCall;
import io.kvreactive.http.client.HttpCall.Safety;
import io.kvreactive.internal.shared.SubscriberContext;
import io.kvreactive.protocol.CollectionMessages;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.util.regex.Pattern;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The collections of a database on a server. */
final class RemoteDocumentStore implements DocumentStore {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]{1,255}");

  private final RestCaller rest;

  RemoteDocumentStore(RestCaller rest) {
    this.rest = rest;
  }

  /** Returns the path of a collection. */
  static String path(String name) {
    return "/collections/" + name.replace(".", "%2E");
  }

  /** Returns the path of a group of change processors, below that of its collection. */
  static String groupPath(String group) {
    return "/groups/" + checked("group", group).replace(".", "%2E");
  }

  private static String checked(String what, String name) {
    if (!NAME.matcher(name).matches()) {
      throw new DocumentException(
          DocumentErrorCode.INVALID_ARGUMENT,
          "%s: \"%s\" (expected: 1 to 255 letters, digits, _, - or .)"
              .formatted(what, name.length() > 40 ? name.substring(0, 40) + "…" : name));
    }
    return name;
  }

  @Override
  public <T> DocumentCollection<T> collection(
      String name, Class<T> type, CollectionDefinition definition) {
    return new RemoteDocumentCollection<>(
        this, rest, checked("collection", name), type, definition);
  }

  @Override
  public <T> DocumentCollection<T> collection(String name, Class<T> type) {
    return new RemoteDocumentCollection<>(this, rest, checked("collection", name), type, null);
  }

  @Override
  public Mono<CollectionInfo> create(String name, CollectionDefinition definition) {
    return rest.read(
        Mono.defer(() -> rest.call(put(checked("collection", name), definition, "If-None-Match")))
            .onErrorMap(failure -> exists(name, failure)),
        CollectionMessages.COLLECTION);
  }

  private static Throwable exists(String name, Throwable failure) {
    return KvError.is(failure, DocumentErrorCode.COLLECTION_EXISTS)
        ? new DocumentException(
            DocumentErrorCode.COLLECTION_EXISTS,
            "collection \"" + name + "\" already exists",
            failure)
        : failure;
  }

  /**
   * Returns the request for a definition.
   *
   * @param condition {@code If-None-Match} if the collection must not exist, {@code If-Match} if it
   *     must
   */
  HttpCall put(String name, CollectionDefinition definition, String condition) {
    return rest.send(
            HttpMethod.PUT, path(name), Buffer.buffer(Definitions.toJson(definition)), Safety.ONCE)
        .with(condition, "*");
  }

  private CollectionInfo info(HttpAnswer answer) {
    return CollectionMessages.COLLECTION.read(rest.json(answer));
  }

  @Override
  public Mono<CollectionInfo> describe(String name) {
    return rest.read(
        Mono.defer(() -> rest.call(rest.get(path(checked("collection", name)))))
            .onErrorResume(RemoteDocumentStore::isAbsent, absent -> Mono.empty()),
        CollectionMessages.COLLECTION);
  }

  static boolean isAbsent(Throwable failure) {
    return KvError.is(failure, DocumentErrorCode.COLLECTION_NOT_FOUND);
  }

  /**
   * Creates a collection unless it exists.
   *
   * @throws DocumentException COLLECTION_EXISTS, if it exists with another definition
   */
  Mono<Void> define(String name, CollectionDefinition definition) {
    return rest.call(rest.get(path(name)))
        .map(this::info)
        .onErrorResume(
            RemoteDocumentStore::isAbsent,
            absent ->
                rest.call(put(name, definition, "If-None-Match"))
                    .map(this::info)
                    .onErrorResume(
                        failure -> KvError.is(failure, DocumentErrorCode.COLLECTION_EXISTS),
                        concurrent -> rest.call(rest.get(path(name))).map(this::info)))
        .flatMap(
            found ->
                found.definition().equals(definition)
                    ? Mono.empty()
                    : Mono.error(
                        new DocumentException(
                            DocumentErrorCode.COLLECTION_EXISTS,
                            "collection \"" + name + "\" exists with a different definition")));
  }

  @Override
  public Flux<CollectionInfo> collections() {
    return rest.read(
            rest.call(rest.get("/collections"))
                .onErrorResume(RemoteDocumentStore::isAbsent, absent -> Mono.empty()),
            CollectionMessages.COLLECTIONS)
        .flatMapIterable(infos -> infos);
  }

  @Override
  public Mono<Boolean> drop(String name) {
    return SubscriberContext.ELASTIC.apply(
        Mono.defer(() -> rest.call(rest.delete(path(checked("collection", name)))))
            .map(dropped -> true)
            .onErrorResume(RemoteDocumentStore::isAbsent, absent -> Mono.just(false)));
  }

  @Override
  public Mono<Void> close() {
    return SubscriberContext.ELASTIC.apply(rest.close());
  }
}
