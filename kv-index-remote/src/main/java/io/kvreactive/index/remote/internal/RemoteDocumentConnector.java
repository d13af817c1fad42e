package io.kvreactive.index.remote.internal;

import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.http.client.ClientVerticle;
import io.kvreactive.http.client.ServerUrls;
import io.kvreactive.index.DocumentClientOptions;
import io.kvreactive.index.DocumentStore;
import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.spi.DocumentConnector;
import io.kvreactive.index.spi.DocumentMapper;
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
  private static final Duration OPEN_TIME = Duration.ofSeconds(5);

  private static final String EXAMPLE = "http://localhost:4512 or https://host/db/NAME";

  @Override
  public Mono<DocumentStore> connect(
      Vertx vertx, String url, DocumentClientOptions options, DocumentMapper mapper) {
    return Mono.defer(
        () -> {
          URI base = URI.create(ServerUrls.database(url, EXAMPLE) + "/api/v1");
          return RestCaller.SUBSCRIBER_CONTEXT
              .apply(
                  ClientVerticle.open(
                      vertx,
                      (own, context, close) -> {
                        RestCaller rest = new RestCaller(own, base, options, mapper);
                        StreamPool streams = new StreamPool(own, context, base, options, rest);
                        return new DocumentClient(options, mapper, rest, streams, close);
                      },
                      RemoteDocumentConnector::checked))
              .doOnDiscard(RemoteDocumentStore.class, store -> store.close().subscribe());
        });
  }

  private static Mono<DocumentStore> checked(DocumentClient client) {
    Duration retryTime = client.options().retryTime();
    Duration connectTimeout = client.options().connectTimeout();
    Duration most = connectTimeout.compareTo(OPEN_TIME) > 0 ? connectTimeout : OPEN_TIME;
    RestCaller rest = client.rest();
    return rest.call(
            rest.get("/collections/-"), retryTime.compareTo(OPEN_TIME) < 0 ? retryTime : OPEN_TIME)
        .timeout(most)
        .onErrorMap(TimeoutException.class, timeout -> late(most, timeout))
        .then()
        .onErrorResume(RemoteDocumentConnector::isOfARequest, known -> Mono.empty())
        .then(Mono.fromSupplier(() -> new RemoteDocumentStore(client)));
  }

  private static KvException late(Duration most, Throwable timeout) {
    return new KvException(
        KvErrorCode.UNAVAILABLE,
        "no answer of the server within %d s".formatted(most.toSeconds()),
        timeout);
  }

  /** Returns true for errors by which a server answers that it knows the token. */
  private static boolean isOfARequest(Throwable failure) {
    return KvError.is(failure, IndexErrorCode.COLLECTION_NOT_FOUND)
        || KvError.is(failure, KvErrorCode.FORBIDDEN);
  }
}
