package io.kvreactive.index.remote.internal;

import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.index.DocumentClientOptions;
import io.kvreactive.index.DocumentStore;
import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.spi.DocumentConnector;
import io.kvreactive.index.spi.DocumentMapper;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import reactor.core.publisher.Mono;

/** The implementation of {@code DocumentStore.connect}. */
public final class RemoteDocumentConnector implements DocumentConnector {
  /** Maximum time of the first request, so that a wrong address is reported soon. */
  private static final Duration OPEN_TIME = Duration.ofSeconds(5);

  @Override
  public Mono<DocumentStore> connect(
      Vertx vertx, String url, DocumentClientOptions options, DocumentMapper mapper) {
    return Mono.defer(
        () -> {
          ClientVerticle client = new ClientVerticle(DatabaseAddress.parse(url), options, mapper);
          return Emission.emit(deployed(vertx, client).flatMap(RemoteDocumentConnector::checked))
              .doOnDiscard(RemoteDocumentStore.class, store -> store.close().subscribe());
        });
  }

  private static Mono<ClientVerticle> deployed(Vertx vertx, ClientVerticle client) {
    return Mono.create(
        sink -> {
          Future<String> deployed = vertx.deployVerticle(client);
          sink.onCancel(() -> deployed.onSuccess(id -> client.close().subscribe()));
          deployed.onComplete(id -> sink.success(client), sink::error);
        });
  }

  private static Mono<DocumentStore> checked(ClientVerticle client) {
    Duration retryTime = client.options().retryTime();
    RestCall probe =
        RestCall.get("/collections/-")
            .within(retryTime.compareTo(OPEN_TIME) < 0 ? retryTime : OPEN_TIME);
    return client
        .rest()
        .call(probe)
        .timeout(OPEN_TIME)
        .onErrorMap(TimeoutException.class, RemoteDocumentConnector::late)
        .then()
        .onErrorResume(RemoteDocumentConnector::isOfARequest, known -> Mono.empty())
        .onErrorResume(failed -> client.close().onErrorComplete().then(Mono.error(failed)))
        .doOnCancel(() -> client.close().subscribe())
        .then(Mono.fromSupplier(() -> new RemoteDocumentStore(client)));
  }

  private static KvException late(Throwable timeout) {
    return new KvException(
        KvErrorCode.UNAVAILABLE,
        "no answer of the server within %d s".formatted(OPEN_TIME.toSeconds()),
        timeout);
  }

  /** Returns true for errors by which a server answers that it knows the token. */
  private static boolean isOfARequest(Throwable failure) {
    return KvError.is(failure, IndexErrorCode.COLLECTION_NOT_FOUND)
        || KvError.is(failure, KvErrorCode.FORBIDDEN);
  }
}
