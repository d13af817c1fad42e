package io.kvreactive.web.internal.guard;

import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.http.AuditEntries;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.CorsHandler;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The web origins that may make requests. Only browsers send an origin, and pages cannot forge it.
 * A request without an origin passes. A request from another origin, including a WebSocket
 * handshake, is rejected with FORBIDDEN before its route is called.
 */
final class OriginPolicy {
  private final Set<String> allowed;
  private final @Nullable CorsHandler cors;
  private final boolean tls;

  /**
   * Creates a policy.
   *
   * @param allowed the allowed origins besides the server's own
   * @param tls true if the server's own origin can only be https
   */
  OriginPolicy(Set<String> allowed, boolean tls) {
    this.allowed =
        allowed.stream()
            .map(origin -> origin.toLowerCase(Locale.ROOT))
            .collect(Collectors.toUnmodifiableSet());
    this.cors = allowed.isEmpty() ? null : cors(this.allowed);
    this.tls = tls;
  }

  private static CorsHandler cors(Set<String> origins) {
    return CorsHandler.create()
        .addOrigins(List.copyOf(origins))
        .allowedMethods(
            Set.of(
                HttpMethod.GET,
                HttpMethod.HEAD,
                HttpMethod.PUT,
                HttpMethod.POST,
                HttpMethod.PATCH,
                HttpMethod.DELETE))
        .allowedHeaders(
            Set.of(
                "Accept",
                "Authorization",
                "Content-Type",
                "Idempotency-Key",
                "If-Match",
                "If-None-Match",
                "Last-Event-ID",
                "X-Denokv-Database-Id",
                "X-Denokv-Version",
                "X-Kv-Indexing-Directive",
                "X-Request-Id"))
        .exposedHeaders(
            Set.of("X-Kv-Versionstamp", "ETag", "Location", "X-Request-Id", "Retry-After"))
        .maxAgeSeconds(600);
  }

  /** Checks the origin of a request. Answers preflight requests, because these carry no token. */
  void check(RoutingContext context) {
    String origin = context.request().getHeader("Origin");
    if (origin == null) {
      if (cors != null) {
        context.response().putHeader("Vary", "Origin");
      }
      context.next();
      return;
    }
    String lower = origin.toLowerCase(Locale.ROOT);
    if (cors != null && allowed.contains(lower)) {
      context.response().putHeader("Vary", "Origin");
      cors.handle(context);
    } else if (own(lower, context.request())) {
      context.next();
    } else {
      AuditEntries.refused(context, "origin.refused").with("origin", origin).log();
      throw new WebException(
          WebErrorCode.FORBIDDEN,
          "origin: \"%s\" (expected: this server's, or one that the operator allows)"
              .formatted(origin));
    }
  }

  /**
   * Returns true if the origin is the server's own. A server without TLS also accepts https,
   * because a proxy in front of the server may have TLS.
   */
  private boolean own(String origin, HttpServerRequest request) {
    HostAndPort here = request.authority();
    if (here == null) {
      return false;
    }
    try {
      URI page = URI.create(origin);
      boolean https = "https".equals(page.getScheme());
      if (page.getHost() == null || !(https || (!tls && "http".equals(page.getScheme())))) {
        return false;
      }
      int defaultPort = https ? 443 : 80;
      int pagePort = page.getPort() < 0 ? defaultPort : page.getPort();
      int herePort = here.port() < 0 ? defaultPort : here.port();
      return pagePort == herePort
          && ClientAddresses.bare(page.getHost())
              .equals(ClientAddresses.bare(here.host()).toLowerCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
