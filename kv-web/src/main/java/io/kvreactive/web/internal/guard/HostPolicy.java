package io.kvreactive.web.internal.guard;

import io.kvreactive.web.ServerOptions;
import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.http.AuditEntries;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import io.vertx.ext.web.RoutingContext;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The host names that a server on a loopback address accepts. Without this check, any web page
 * could let its host name resolve to that address, and make requests like the server's own page
 * (DNS rebinding).
 */
final class HostPolicy {
  /** Accepts loopback names only. */
  static final HostPolicy LOOPBACK = new HostPolicy(Set.of());

  private final Set<String> names;

  private HostPolicy(Set<String> names) {
    this.names = names;
  }

  /**
   * Returns true if the server checks the host of every request: without TLS on a loopback address.
   */
  static boolean needed(ServerOptions options) {
    return options.tls() == null && ClientAddresses.isLoopback(options.host());
  }

  static HostPolicy of(ServerOptions options) {
    Set<String> names =
        options.security().allowedHosts().stream()
            .map(HostPolicy::normal)
            .collect(Collectors.toSet());
    names.add(normal(options.host()));
    return new HostPolicy(Set.copyOf(names));
  }

  private static String normal(String host) {
    String lower = ClientAddresses.bare(host).toLowerCase(Locale.ROOT);
    return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
  }

  /**
   * Rejects requests for other hosts with FORBIDDEN. A request without a host passes: browsers
   * always send one.
   */
  void check(RoutingContext context) {
    String header = context.request().getHeader("Host");
    HostAndPort requested = context.request().authority();
    if (!isOurs(context.request())) {
      AuditEntries.refused(context, "host.refused").with("host", header).log();
      throw new WebException(
          WebErrorCode.FORBIDDEN,
          "host: \"%s\" (expected: a name of this server; the operator may allow others)"
              .formatted(requested == null ? header : requested.host()));
    }
    context.next();
  }

  /** Returns true if the host of the request is a name of the server, or missing. */
  boolean isOurs(HttpServerRequest request) {
    HostAndPort requested = request.authority();
    if (requested == null) {
      return request.getHeader("Host") == null;
    }
    String host = normal(requested.host());
    return ClientAddresses.isLoopback(host) || names.contains(host);
  }
}
