package io.kvreactive.web.internal.guard;

import java.util.Set;

/**
 * The HTTP methods that requests may have. Vert.x records metrics by method, before any handler of
 * this server: each method that a caller invents would create a time series that is never removed.
 */
final class KnownMethods {
  /** The replacement of all unknown methods. No route supports it. */
  static final String UNKNOWN = "UNKNOWN";

  private static final Set<String> KNOWN =
      Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT");

  private KnownMethods() {}

  static boolean isKnown(String method) {
    return KNOWN.contains(method);
  }
}
