package io.kvreactive.web.internal.rest;

import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.auth.Operation;
import io.vertx.ext.web.MIMEHeader;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Negotiates the media types of requests and responses. */
public final class ContentNegotiation {
  private ContentNegotiation() {}

  /**
   * Returns the media type of the response.
   *
   * @param types the types of the route; the first is the default
   * @throws WebException NOT_ACCEPTABLE if the caller accepts none of {@code types}
   */
  public static String choose(RoutingContext context, String... types) {
    return all(context, types).get(0);
  }

  /**
   * Returns the types that the caller accepts, in the caller's order of preference. For routes
   * whose type depends on the value.
   *
   * @param types the types of the route, in its order of preference
   * @throws WebException NOT_ACCEPTABLE if the caller accepts none of {@code types}
   */
  static List<String> all(RoutingContext context, String... types) {
    List<MIMEHeader> wanted = context.parsedHeaders().accept();
    if (wanted.isEmpty()) {
      return List.of(types);
    }
    List<Offer> offers = new ArrayList<>();
    for (String type : types) {
      int range = range(wanted, type);
      if (range >= 0 && wanted.get(range).weight() > 0) {
        offers.add(new Offer(type, wanted.get(range).weight(), range));
      }
    }
    if (offers.isEmpty()) {
      throw new WebException(
          WebErrorCode.NOT_ACCEPTABLE,
          "Accept: %s (expected: %s)"
              .formatted(
                  StrictJson.excerpt(String.valueOf(context.request().getHeader("Accept"))),
                  String.join(" or ", types)));
    }
    offers.sort(Offer.PREFERRED_FIRST); // stable: ties keep the order of the route
    return offers.stream().map(Offer::type).toList();
  }

  private record Offer(String type, float weight, int range) {
    static final Comparator<Offer> PREFERRED_FIRST =
        Comparator.comparing(Offer::weight).reversed().thenComparing(Offer::range);
  }

  /**
   * Returns the index of the most specific media range that matches a type; -1 if there is none.
   */
  private static int range(List<MIMEHeader> wanted, String type) {
    int decides = -1;
    for (int i = 0; i < wanted.size(); i++) {
      if (matches(wanted.get(i), type)
          && (decides < 0 || specific(wanted.get(i)) > specific(wanted.get(decides)))) {
        decides = i;
      }
    }
    return decides;
  }

  private static int specific(MIMEHeader range) {
    if (range.component().equals("*")) {
      return 0;
    }
    return range.subComponent().equals("*") ? 1 : 2;
  }

  private static boolean matches(MIMEHeader wanted, String type) {
    int slash = type.indexOf('/');
    return (wanted.component().equals("*")
            || wanted.component().equalsIgnoreCase(type.substring(0, slash)))
        && (wanted.subComponent().equals("*")
            || wanted.subComponent().equalsIgnoreCase(type.substring(slash + 1)));
  }

  /**
   * Returns the media type of the request's body.
   *
   * @throws WebException UNSUPPORTED_MEDIA_TYPE if it is none of the route's types, or the body is
   *     encoded
   */
  static String contentType(RoutingContext context, Operation.Body body) {
    String header = context.request().getHeader("Content-Type");
    String encoding = context.request().getHeader("Content-Encoding");
    if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
      throw unsupported("Content-Encoding", encoding, "none");
    }
    String expected = String.join(" or ", body.types());
    if (header == null) {
      throw unsupported("Content-Type", "none", expected);
    }
    String[] parts = header.split(";", 8);
    for (String type : body.types()) {
      if (type.equalsIgnoreCase(parts[0].strip())) {
        return type;
      }
    }
    throw unsupported("Content-Type", header, expected);
  }

  private static WebException unsupported(String header, String found, String expected) {
    return new WebException(
        WebErrorCode.UNSUPPORTED_MEDIA_TYPE,
        "%s: %s (expected: %s)".formatted(header, StrictJson.excerpt(found), expected));
  }
}
