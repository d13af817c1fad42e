package io.kvreactive.index.remote.internal;

import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.index.DocumentClientOptions;
import io.kvreactive.index.DocumentStore;
import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.spi.DocumentConnector;
import io.kvreactive.index.spi.DocumentMapper;
import io.vertx.core.Vertx;
import reactor.core.publisher.Mono;

/** The implementation of {@code DocumentStore.connect}. */
public final class RemoteDocumentConnector implements DocumentConnector {
  /** Maximum time of the first request, so that a wrong address is reported soon. */
  private static final java.time.Duration OPEN_TIME = java.time.Duration.ofSeconds(5);

  @Override
  public Mono<DocumentStore> connect(
      Vertx vertx, String url, DocumentClientOptions options, DocumentMapper mapper) {
    return Mono.defer(
        () -> {
          ClientVerticle client = new ClientVerticle(DatabaseAddress.parse(url), options, mapper);
          return Emission.emit(
              Mono.<ClientVerticle>create(
                      sink ->
                          vertx
                              .deployVerticle(client)
                              .onComplete(id -> sink.success(client), sink::error))
                  .flatMap(RemoteDocumentConnector::checked));
        });
  }

  private static Mono<DocumentStore> checked(ClientVerticle client) {
    RestCall probe = RestCall.get("/collections/-").within(OPEN_TIME);
    return client
        .rest()
        .call(probe)
        .then()
        .onErrorResume(RemoteDocumentConnector::isOfARequest, known -> Mono.empty())
        .onErrorResume(failed -> client.close().onErrorComplete().then(Mono.error(failed)))
        .doOnCancel(() -> client.close().subscribe())
        .then(Mono.fromSupplier(() -> new RemoteDocumentStore(client)));
  }

  /** Returns true for errors by which a server answers that it knows the token. */
  private static boolean isOfARequest(Throwable failure) {
    return KvError.is(failure, IndexErrorCode.COLLECTION_NOT_FOUND)
        || KvError.is(failure, KvErrorCode.FORBIDDEN);
  }
}
