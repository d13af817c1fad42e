package io.kvreactive.web.internal.guard;

import io.kvreactive.web.ServerOptions;
import io.kvreactive.web.internal.auth.Authenticator;
import io.kvreactive.web.internal.auth.TokenManager;
import io.kvreactive.web.internal.http.ServerLogs;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What every request to one server must get past, in this order. */
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
  private final AuthHandler door;
  private final @Nullable TokenManager tokens;

  private FilterChain(
      SecurityHeaders headers,
      HostPolicy hosts,
      boolean hostsAreChecked,
      OriginPolicy origins,
      AuthHandler door,
      @Nullable TokenManager tokens) {
    this.headers = headers;
    this.hosts = hosts;
    this.hostsAreChecked = hostsAreChecked;
    this.origins = origins;
    this.door = door;
    this.tokens = tokens;
  }

  /**
   * Of a server.
   *
   * @param tokens null when there is no file of tokens
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

  /** Of routes in another program's router: only pages of the same origin may ask. */
  public static FilterChain embedded(Authenticator authenticator) {
    return new FilterChain(
        new SecurityHeaders(false),
        HostPolicy.LOOPBACK,
        false,
        new OriginPolicy(Set.of(), false),
        new AuthHandler(authenticator, null),
        null);
  }

  /** Mounts what comes before all routes, with and without tokens. */
  public void mount(Router router) {
    router.route().handler(headers::add);
    router.route().handler(RequestFraming::check);
    if (hostsAreChecked) {
      router.route().handler(hosts::check);
    }
    router.route().handler(origins::check);
  }

  /** A handler: finds out who asks. */
  public void admit(RoutingContext context) {
    door.admit(context);
  }

  /**
   * How often a connection may say something that began with this request: counts one more message,
   * and tells 0, or the nanoseconds until there may be one. Any thread.
   */
  public LongSupplier rate(RoutingContext context) {
    return door.rate(context);
  }

  /**
   * Returns true if the request comes from this machine, by no proxy that says so, and not from a
   * web page whose own name was made to point here.
   */
  public boolean isLocal(HttpServerRequest request) {
    return ClientAddresses.isLoopback(request.remoteAddress())
        && PROXIED.stream().noneMatch(name -> request.headers().contains(name))
        && request.version() != HttpVersion.HTTP_1_0 // of old, the default of nginx
        && hosts.isOurs(request);
  }

  /** The logs of the server. */
  public ServerLogs logs() {
    return logs;
  }

  /** The file of tokens; null when there is none. */
  public @Nullable TokenManager tokens() {
    return tokens;
  }

  /** Lets go of files. */
  public void close() {
    if (tokens != null) {
      tokens.close();
    }
  }
}
