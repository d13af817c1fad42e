package io.kvreactive.http.client;

import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.ProxyOptions;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * The way of a client to the REST interface of a server.
 *
 * @param base the URL of the REST interface of a database, without a trailing slash
 * @param token the access token, or null
 * @param tls the options of TLS, or null for the default ones
 * @param proxy the proxy of streams, or null
 * @param connectMillis the maximum time to connect
 * @param requestMillis the maximum time of one attempt, until the answer is complete
 * @param retryMillis the maximum time of a request with all of its attempts; 0 for one attempt
 */
public record ServerAccess(
    URI base,
    @Nullable String token,
    @Nullable ClientSSLOptions tls,
    @Nullable ProxyOptions proxy,
    int connectMillis,
    long requestMillis,
    long retryMillis) {

  /** Returns the origin without the token. */
  @Override
  public String toString() {
    return ServerUrls.origin(base);
  }
}
