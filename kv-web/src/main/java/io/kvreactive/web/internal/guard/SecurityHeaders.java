package io.kvreactive.web.internal.guard;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;

/** Sets the response headers that make browsers restrict the pages of the server. */
final class SecurityHeaders {
  // the text is created once, so that its encoding and hash are cached
  private static final CharSequence TYPE_OPTIONS = ascii("x-content-type-options");
  private static final CharSequence NO_SNIFF = ascii("nosniff");
  private static final CharSequence REFERRER_POLICY = ascii("referrer-policy");
  private static final CharSequence NO_REFERRER = ascii("no-referrer");
  private static final CharSequence SECURITY_POLICY = ascii("content-security-policy");
  private static final CharSequence POLICY =
      ascii(
          "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none';"
              + " frame-ancestors 'none'");
  private static final CharSequence TRANSPORT_SECURITY = ascii("strict-transport-security");
  private static final CharSequence A_YEAR = ascii("max-age=31536000");

  private final boolean tls;

  SecurityHeaders(boolean tls) {
    this.tls = tls;
  }

  private static CharSequence ascii(String text) {
    return HttpHeaders.createOptimized(text);
  }

  void add(RoutingContext context) {
    MultiMap headers = context.response().headers();
    headers.set(TYPE_OPTIONS, NO_SNIFF);
    headers.set(REFERRER_POLICY, NO_REFERRER);
    headers.set(SECURITY_POLICY, POLICY);
    if (tls) {
      headers.set(TRANSPORT_SECURITY, A_YEAR);
    }
    context.next();
  }
}
