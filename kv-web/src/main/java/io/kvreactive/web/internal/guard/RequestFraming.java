package io.kvreactive.web.internal.guard;

import io.kvreactive.json.Utf8;
import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.RoutingContext;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Rejects HTTP/1 requests that a proxy and this server might frame differently, and paths that
 * cannot be decoded.
 *
 * <p>Netty drops the Content-Length of a request that is also chunked, so this combination cannot
 * be detected here. A request with both must be the last of its connection; therefore every chunked
 * request is. The connection is closed after the rest of the body was discarded, for at most one
 * minute. An earlier close would reset the connection, and callers that send everything before they
 * read would not see the response.
 */
final class RequestFraming {
  private static final Pattern BAD_ESCAPE = Pattern.compile("%(?![0-9A-Fa-f]{2})");

  private static final CharSequence TRANSFER_ENCODING =
      HttpHeaders.createOptimized("Transfer-Encoding");
  private static final List<CharSequence> ONCE =
      List.of(HttpHeaders.createOptimized("Content-Length"), HttpHeaders.createOptimized("Host"));

  private static final long MAX_REST_MILLIS = 60_000;

  private RequestFraming() {}

  /**
   * Returns true if the request must be the last of its connection: if it is chunked or ambiguous.
   */
  static boolean last(HttpServerRequest request) {
    return last(request, ambiguous(request));
  }

  private static boolean last(HttpServerRequest request, @Nullable String ambiguity) {
    return request.version() != HttpVersion.HTTP_2
        && (ambiguity != null || request.headers().contains(TRANSFER_ENCODING));
  }

  /**
   * Rejects ambiguous requests and malformed paths with BAD_REQUEST. Closes connections after their
   * last request.
   */
  static void check(RoutingContext context) {
    HttpServerRequest request = context.request();
    String why = ambiguous(request);
    if (last(request, why)) {
      context.response().putHeader("Connection", "close");
      context.addEndHandler(
          answered -> {
            if (answered.succeeded() && why == null && sendsOn(request)) {
              closeWhenRead(context.vertx(), request);
            } else {
              request.connection().close();
            }
          });
    }
    if (why != null) {
      throw new WebException(WebErrorCode.BAD_REQUEST, why);
    }
    String uri = request.uri();
    if (uri.indexOf('%') >= 0 && BAD_ESCAPE.matcher(uri).find()) {
      throw new WebException(
          WebErrorCode.BAD_REQUEST,
          "uri: \"%s\" (expected: two hex digits after each %%)".formatted(uri));
    }
    String malformed = malformed(uri);
    if (malformed != null) {
      throw new WebException(WebErrorCode.BAD_REQUEST, malformed);
    }
    context.next();
  }

  /**
   * Returns the error in a URI with well-formed escapes; null if there is none. Errors are
   * unescaped bytes beyond ASCII, which would be decoded as Latin-1, and escapes of bytes that are
   * not UTF-8, which would be replaced.
   */
  static @Nullable String malformed(String uri) {
    int escaped = 0;
    for (int i = 0; i < uri.length(); i++) {
      char c = uri.charAt(i);
      if (c >= 0x80) {
        return "uri: byte %d is 0x%02x (expected: ASCII, and %%XX for each byte of UTF-8)"
            .formatted(i, (int) c);
      }
      escaped |= c == '%' ? Character.digit(uri.charAt(i + 1), 16) : 0;
    }
    return escaped < 8 ? null : malformedEscape(uri);
  }

  private static @Nullable String malformedEscape(String uri) {
    byte[] decoded = new byte[uri.length()];
    int[] places = new int[uri.length()];
    int length = 0;
    for (int i = 0; i < uri.length(); i++, length++) {
      places[length] = i;
      boolean escape = uri.charAt(i) == '%';
      decoded[length] = (byte) (escape ? Integer.parseInt(uri, i + 1, i + 3, 16) : uri.charAt(i));
      i += escape ? 2 : 0;
    }
    int at = Utf8.firstMalformed(Arrays.copyOf(decoded, length));
    return at < 0
        ? null
        : "uri: %s at byte %d (expected: %%XX for each byte of UTF-8)"
            .formatted(
                uri.substring(places[at], Math.min(places[at] + 3, uri.length())), places[at]);
  }

  /**
   * Returns true if the caller still sends its body. False for an {@code Expect: 100-continue}
   * request that was answered before its body was sent.
   */
  private static boolean sendsOn(HttpServerRequest request) {
    boolean waits = request.headers().contains("Expect") && request.bytesRead() == 0;
    return !request.isEnded() && !waits;
  }

  private static void closeWhenRead(Vertx vertx, HttpServerRequest request) {
    long timer = vertx.setTimer(MAX_REST_MILLIS, late -> request.connection().close());
    request
        .end()
        .onComplete(
            read -> {
              vertx.cancelTimer(timer);
              request.connection().close();
            });
    request.handler(rest -> {});
    request.resume();
  }

  private static @Nullable String ambiguous(HttpServerRequest request) {
    MultiMap headers = request.headers();
    if (headers.contains(TRANSFER_ENCODING)) {
      List<String> encodings = headers.getAll(TRANSFER_ENCODING);
      if (encodings.size() > 1 || !encodings.get(0).strip().equalsIgnoreCase("chunked")) {
        return "Transfer-Encoding: " + encodings + " (expected: chunked)";
      }
    }
    for (CharSequence once : ONCE) {
      if (headers.contains(once) && headers.getAll(once).size() > 1) {
        return once + ": more than one (expected: one)";
      }
    }
    return null;
  }
}
