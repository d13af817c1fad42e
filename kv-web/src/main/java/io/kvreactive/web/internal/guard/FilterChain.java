package io.kvreactive.web.internal.guard;

import io.kvreactive.web.LimitOptions;
import io.kvreactive.web.ServerOptions;
import io.kvreactive.web.internal.auth.Authenticator;
import io.kvreactive.web.internal.auth.TokenManager;
import io.kvreactive.web.internal.http.ServerLogs;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The filters that each request to a server passes, in their order. */
public final class FilterChain {
  private static final List<String> PROXIED =
      List.of(
          "Forwarded",
          "X-Forwarded-For",
          "X-Forwarded-Host",
          "X-Forwarded-Proto",
          "X-Real-IP",
          "Via");

  private final ServerLogs logs = new ServerLogs();
  private final SecurityHeaders headers;
  private final HostPolicy hosts;
  private final boolean hostsAreChecked;
  private final OriginPolicy origins;
  private final AuthHandler authHandler;
  private final @Nullable TokenManager tokens;

  private FilterChain(
      SecurityHeaders headers,
      HostPolicy hosts,
      boolean hostsAreChecked,
      OriginPolicy origins,
      AuthHandler authHandler,
      @Nullable TokenManager tokens) {
    this.headers = headers;
    this.hosts = hosts;
    this.hostsAreChecked = hostsAreChecked;
    this.origins = origins;
    this.authHandler = authHandler;
    this.tokens = tokens;
  }

  /**
   * Creates the filters of a server.
   *
   * @param tokens the tokens of the token file; null if there is no file
   */
  public static FilterChain of(
      ServerOptions options, Authenticator authenticator, @Nullable TokenManager tokens) {
    boolean tls = options.tls() != null;
    return new FilterChain(
        new SecurityHeaders(tls),
        HostPolicy.of(options),
        HostPolicy.needed(options),
        new OriginPolicy(options.security().allowedOrigins(), tls),
        new AuthHandler(authenticator, options.limits()),
        tokens);
  }

  /**
   * Creates the filters of routes in another program's router. Only pages of the same origin may
   * make requests, and only attempts without a valid token are rate-limited.
   */
  public static FilterChain embedded(Authenticator authenticator) {
    return new FilterChain(
        new SecurityHeaders(false),
        HostPolicy.LOOPBACK,
        false,
        new OriginPolicy(Set.of(), false),
        new AuthHandler(authenticator, LimitOptions.DEFAULT),
        null);
  }

  /** Adds the filters that every request passes, whether or not it requires authentication. */
  public void mount(Route route) {
    route.handler(headers::add).handler(RequestFraming::check);
    if (hostsAreChecked) {
      route.handler(hosts::check);
    }
    route.handler(origins::check);
  }

  /** Authenticates the request, as {@link AuthHandler#authenticate}. */
  public void authenticate(RoutingContext context) {
    authHandler.authenticate(context);
  }

  /**
   * Returns the rate limiter for messages on the connection that this request opened. Each call
   * takes one permit and returns 0, or the nanoseconds to wait until the next permit. Thread-safe.
   */
  public LongSupplier messageLimiter(RoutingContext context) {
    return authHandler.messageLimiter(context);
  }

  /**
   * Returns true if the request comes directly from this machine. False for a proxy that identifies
   * itself, and for a web page whose host name resolves to this machine.
   */
  public boolean isLocal(HttpServerRequest request) {
    return ClientAddresses.isLoopback(request.remoteAddress())
        && PROXIED.stream().noneMatch(name -> request.headers().contains(name))
        && request.version() != HttpVersion.HTTP_1_0 // the default of old versions of nginx
        && hosts.isOurs(request);
  }

  /** Returns the logs of the server. */
  public ServerLogs logs() {
    return logs;
  }

  /** Returns the manager of the token file; null if there is no file. */
  public @Nullable TokenManager tokens() {
    return tokens;
  }

  /** Stops watching files. */
  public void close() {
    if (tokens != null) {
      tokens.close();
    }
  }
}
