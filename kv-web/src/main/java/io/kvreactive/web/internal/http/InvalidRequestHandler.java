package io.kvreactive.web.internal.http;

import io.kvreactive.json.Utf8;
import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.util.UUID;

/**
 * Answers requests that are malformed or exceed the limits of the HTTP decoder, and closes their
 * connection.
 */
public final class InvalidRequestHandler {
  private InvalidRequestHandler() {}

  /** Answers an invalid request with status 400, 414 or 431. */
  public static void answer(HttpServerRequest request) {
    Throwable cause = request.decoderResult().cause();
    Problem problem = problem(cause);
    String id = UUID.randomUUID().toString();
    request
        .response()
        .setStatusCode(problem.status())
        .putHeader("Content-Type", Problem.CONTENT_TYPE)
        .putHeader("X-Request-Id", id)
        .putHeader("Connection", "close")
        .end(Buffer.buffer(Utf8.json(problem.toJson(id).toString())))
        .onComplete(done -> request.connection().close());
  }

  /**
   * Returns the exception for an unreadable body: {@code broken} if the caller has disconnected,
   * otherwise BAD_REQUEST.
   */
  public static Throwable ofBody(Throwable broken) {
    return Problem.isGone(broken)
        ? broken
        : new WebException(
            WebErrorCode.BAD_REQUEST, "body: not readable (expected: chunks with their sizes)");
  }

  private static Problem problem(Throwable cause) {
    if (cause instanceof TooLongHttpLineException) {
      return new Problem(
          414, WebErrorCode.BAD_REQUEST.name(), "the request line is too long", false, null);
    }
    if (cause instanceof TooLongHttpHeaderException) {
      return new Problem(
          431, WebErrorCode.BAD_REQUEST.name(), "the headers are too large", false, null);
    }
    return Problem.of(WebErrorCode.BAD_REQUEST, "not an HTTP request");
  }
}
