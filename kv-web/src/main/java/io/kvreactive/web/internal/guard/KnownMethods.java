package io.kvreactive.web.internal.guard;

import java.util.Set;

/**
 * The methods of HTTP that requests may have. Vert.x measures requests by method, before any
 * handler of this server: each method that a caller invents would be a series of measurements for
 * ever.
 */
final class KnownMethods {
  /** Stands for all methods that are not known; no route has it. */
  static final String UNKNOWN = "UNKNOWN";

  private static final Set<String> KNOWN =
      Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT");

  private KnownMethods() {}

  static boolean isKnown(String method) {
    return KNOWN.contains(method);
  }
}
