package io.kvreactive.documents.spi;

import io.kvreactive.documents.DocumentClientOptions;
import io.kvreactive.documents.DocumentStore;
import io.vertx.core.Vertx;
import reactor.core.publisher.Mono;

/**
 * A factory of clients of the collections of a server, found by {@link java.util.ServiceLoader}
 * when {@link DocumentStore#connect} is called.
 */
public interface DocumentConnector {
  /**
   * Emits a client when the server has answered. The subscriber must close it.
   *
   * @param url the URL of the database
   * @param mapper the mapper of documents, which embedded collections use too
   */
  Mono<DocumentStore> connect(
      Vertx vertx, String url, DocumentClientOptions options, DocumentMapper mapper);
}
