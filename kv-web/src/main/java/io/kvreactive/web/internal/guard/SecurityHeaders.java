package io.kvreactive.web.internal.guard;

import io.vertx.core.MultiMap;
import io.vertx.ext.web.RoutingContext;

/** What browsers are told to refuse on behalf of the server. */
final class SecurityHeaders {
  private static final String POLICY =
      "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none';"
          + " frame-ancestors 'none'";
  private static final String A_YEAR = "max-age=31536000";

  private final boolean tls;

  SecurityHeaders(boolean tls) {
    this.tls = tls;
  }

  void add(RoutingContext context) {
    MultiMap headers = context.response().headers();
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("Referrer-Policy", "no-referrer");
    headers.set("Content-Security-Policy", POLICY);
    if (tls) {
      headers.set("Strict-Transport-Security", A_YEAR);
    }
    context.next();
  }
}
