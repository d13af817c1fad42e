package io.kvreactive.documents.client.internal;

import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.documents.DocumentClientOptions;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.spi.DocumentConnector;
import io.kvreactive.documents.spi.DocumentMapper;
import io.kvreactive.http.client.ClientVerticle;
import io.kvreactive.http.client.ServerAccess;
import io.kvreactive.http.client.ServerUrls;
import io.kvreactive.internal.shared.SubscriberContext;
import io.vertx.core.Vertx;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import reactor.core.publisher.Mono;

/** The implementation of {@code DocumentStore.connect}. */
public final class RemoteDocumentConnector implements DocumentConnector {
  /**
   * Maximum time of the first request, so that a wrong address is reported soon. A client whose
   * connections may take longer waits as long as for one of them.
   */
  private static final long OPEN_MILLIS = 5_000;

  private static final String EXAMPLE = "http://localhost:4512 or https://host/db/NAME";

  @Override
  public Mono<DocumentStore> connect(
      Vertx vertx, String url, DocumentClientOptions options, DocumentMapper mapper) {
    return Mono.defer(
        () -> {
          ServerAccess server =
              new ServerAccess(
                  URI.create(ServerUrls.database(url, EXAMPLE) + "/api/v1"),
                  options.token(),
                  options.tls(),
                  null,
                  (int) options.connectTimeout().toMillis(),
                  options.requestTimeout().toMillis(),
                  options.retryTime().toMillis());
          return SubscriberContext.ELASTIC
              .apply(
                  ClientVerticle.open(
                      vertx,
                      (own, loop, close) -> new RestCaller(own, loop, server, mapper, close),
                      rest -> checked(rest, server)))
              .doOnDiscard(RemoteDocumentStore.class, store -> store.close().subscribe());
        });
  }

  private static Mono<DocumentStore> checked(RestCaller rest, ServerAccess server) {
    Duration patience = Duration.ofMillis(Math.max(OPEN_MILLIS, server.connectMillis()));
    return rest.call(rest.get("/collections/-"), Math.min(OPEN_MILLIS, server.retryMillis()))
        .timeout(patience)
        .onErrorMap(TimeoutException.class, timeout -> late(patience, timeout))
        .then()
        .onErrorResume(RemoteDocumentConnector::isOfARequest, known -> Mono.empty())
        .then(Mono.fromSupplier(() -> new RemoteDocumentStore(rest)));
  }

  private static KvException late(Duration patience, Throwable timeout) {
    return new KvException(
        KvErrorCode.UNAVAILABLE,
        "no answer of the server within %d s".formatted(patience.toSeconds()),
        timeout);
  }

  /** Returns true for errors by which a server answers that it knows the token. */
  private static boolean isOfARequest(Throwable failure) {
    return KvError.is(failure, DocumentErrorCode.COLLECTION_NOT_FOUND)
        || KvError.is(failure, KvErrorCode.FORBIDDEN);
  }
}
