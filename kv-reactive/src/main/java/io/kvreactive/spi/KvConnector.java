package io.kvreactive.spi;

import io.vertx.core.Vertx;
import reactor.core.publisher.Mono;

/**
 * A factory of engines for stores on other machines, found by {@link java.util.ServiceLoader} when
 * {@code Kv.connect} is called.
 */
public interface KvConnector {
  /**
   * Returns true if this connector connects to URLs like this one, by their scheme. The first one
   * that does is used; if there is none, the first one, which says what is wrong with the URL.
   */
  default boolean accepts(String url) {
    return url.startsWith("http:") || url.startsWith("https:");
  }

  /**
   * Emits an engine when the server has answered. The subscriber must close the engine.
   *
   * @param url the URL of the database
   * @param token the access token
   */
  Mono<KvEngine> connect(Vertx vertx, String url, String token);
}
