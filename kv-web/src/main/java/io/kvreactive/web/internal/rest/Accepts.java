package io.kvreactive.web.internal.rest;

import io.kvreactive.web.internal.http.WebErrorCode;
import io.kvreactive.web.internal.http.WebException;
import io.vertx.ext.web.MIMEHeader;
import io.vertx.ext.web.RoutingContext;
import java.util.List;

/** Which of the types that a route has the caller wants, and which type a body has. */
public final class Accepts {
  private Accepts() {}

  /**
   * The type to answer with.
   *
   * @param types that the route has; the first when the caller does not say, or takes any
   * @throws WebException NOT_ACCEPTABLE
   */
  public static String choose(RoutingContext context, String... types) {
    List<MIMEHeader> wanted = context.parsedHeaders().accept();
    if (wanted.isEmpty()) {
      return types[0];
    }
    for (MIMEHeader each : wanted) { // the most wanted first
      for (String type : types) {
        if (each.weight() > 0 && matches(each, type)) {
          return type;
        }
      }
    }
    throw new WebException(
        WebErrorCode.NOT_ACCEPTABLE,
        "Accept: %s (expected: %s)"
            .formatted(
                Json.excerpt(String.valueOf(context.request().getHeader("Accept"))),
                String.join(" or ", types)));
  }

  private static boolean matches(MIMEHeader wanted, String type) {
    int slash = type.indexOf('/');
    return (wanted.component().equals("*")
            || wanted.component().equalsIgnoreCase(type.substring(0, slash)))
        && (wanted.subComponent().equals("*")
            || wanted.subComponent().equalsIgnoreCase(type.substring(slash + 1)));
  }

  /**
   * The type of the request's body.
   *
   * @throws WebException UNSUPPORTED_MEDIA_TYPE when it is none of these
   */
  public static String contentType(RoutingContext context, String... types) {
    String header = context.request().getHeader("Content-Type");
    String encoding = context.request().getHeader("Content-Encoding");
    if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
      throw unsupported("Content-Encoding", encoding, "none");
    }
    String expected = String.join(" or ", types);
    if (header == null) {
      throw unsupported("Content-Type", "none", expected);
    }
    String[] parts = header.split(";", 8);
    for (String type : types) {
      if (type.equalsIgnoreCase(parts[0].strip())) {
        return type;
      }
    }
    throw unsupported("Content-Type", header, expected);
  }

  private static WebException unsupported(String header, String found, String expected) {
    return new WebException(
        WebErrorCode.UNSUPPORTED_MEDIA_TYPE,
        "%s: %s (expected: %s)".formatted(header, Json.excerpt(found), expected));
  }
}
