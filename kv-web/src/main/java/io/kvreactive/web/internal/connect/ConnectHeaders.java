package io.kvreactive.web.internal.connect;

import io.kvreactive.connect.ConnectProtocol;
import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.http.RequestContext;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Validates the headers of requests to the data path. Errors: BAD_REQUEST. */
final class ConnectHeaders {
  private ConnectHeaders() {}

  /** Checks the protocol version of a request for data, before authentication. */
  static void checkVersion(RoutingContext context) {
    int version = version(context.request());
    if (version < ConnectProtocol.WATCH_VERSION
        && RequestContext.of(context).target().operation() == Operation.CONNECT_WATCH) {
      throw bad("watch in version " + version + " (expected: version 3)");
    }
  }

  /** Returns the protocol version of the request. Version 1 has no version header. */
  private static int version(HttpServerRequest request) {
    String version = request.getHeader(ConnectProtocol.VERSION_HEADER);
    if (version == null) {
      if (request.getHeader(ConnectProtocol.DOMAIN_HEADER) != null) {
        return 1;
      }
      throw bad("no header " + ConnectProtocol.VERSION_HEADER + " (expected: 2 or 3)");
    }
    return switch (version.strip()) {
      case "2" -> 2;
      case "3" -> 3;
      default ->
          throw bad(
              "%s: %s (expected: 2 or 3)"
                  .formatted(ConnectProtocol.VERSION_HEADER, excerpt(version)));
    };
  }

  /** Checks that the client's metadata is of this database. Must be the last check of a request. */
  static void checkDatabase(RoutingContext context) {
    HttpServerRequest request = context.request();
    String header =
        request.getHeader(ConnectProtocol.VERSION_HEADER) == null
            ? ConnectProtocol.DOMAIN_HEADER
            : ConnectProtocol.DATABASE_HEADER;
    String requested = request.getHeader(header);
    UUID id = RequestContext.of(context).database().id();
    if (requested == null || !requested.strip().toLowerCase(Locale.ROOT).equals(id.toString())) {
      throw bad("%s: %s (expected: %s)".formatted(header, excerpt(requested), id));
    }
  }

  private static String excerpt(@Nullable String value) {
    return value == null ? "none" : value.length() > 40 ? value.substring(0, 40) + "…" : value;
  }

  private static WebException bad(String detail) {
    return new WebException(WebErrorCode.BAD_REQUEST, detail);
  }
}
