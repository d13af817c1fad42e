package io.kvreactive.index.remote.internal;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.vertx.core.http.RequestOptions;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;

/**
 * The address of a database on a server.
 *
 * @param path the path of its REST interface, without a trailing slash
 */
record DatabaseAddress(boolean tls, String host, int port, String path) {
  /**
   * Parses an address.
   *
   * @throws KvException INVALID_ARGUMENT
   */
  static DatabaseAddress parse(String url) {
    URI uri;
    try {
      uri = new URI(url.strip());
    } catch (URISyntaxException e) {
      throw invalid(url);
    }
    String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
    boolean tls = scheme.equals("https");
    if ((!tls && !scheme.equals("http"))
        || uri.getHost() == null
        || uri.getPort() == 0
        || uri.getPort() > 0xFFFF
        || uri.getRawQuery() != null
        || uri.getFragment() != null
        || uri.getUserInfo() != null) {
      throw invalid(url);
    }
    String base = uri.getRawPath().replaceFirst("/+$", "");
    return new DatabaseAddress(
        tls, uri.getHost(), uri.getPort() > 0 ? uri.getPort() : tls ? 443 : 80, base + "/api/v1");
  }

  private static KvException invalid(String url) {
    return new KvException(
        KvErrorCode.INVALID_ARGUMENT,
        "url: \"%s\" (expected: such as http://localhost:4512 or https://host/db/NAME)"
            .formatted(url.length() > 200 ? url.substring(0, 200) + "…" : url));
  }

  /** Sets the target of a request. */
  <R extends RequestOptions> R target(R request, String pathAndQuery) {
    request.setSsl(tls).setHost(host).setPort(port).setURI(path + pathAndQuery);
    return request;
  }

  @Override
  public String toString() {
    return (tls ? "https://" : "http://") + host + ":" + port;
  }
}
