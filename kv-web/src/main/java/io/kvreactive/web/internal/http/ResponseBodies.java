package io.kvreactive.web.internal.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvException;
import io.kvreactive.json.Utf8;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;

/**
 * Ends responses with their bodies. Omits the body of a response to a HEAD request: over HTTP/2,
 * Vert.x would send it, and clients would abort the connection.
 */
public final class ResponseBodies {
  /** Size up to which a body is not counted: with its request, it is small. */
  private static final int UNCOUNTED_BYTES = 4 << 10;

  private ResponseBodies() {}

  /** Returns true for a HEAD request. */
  public static boolean headOnly(RoutingContext context) {
    return HttpMethod.HEAD.equals(context.request().method());
  }

  /**
   * Ends a response with a body, which takes memory of the caller's responses until the connection
   * has accepted it. Fails the request with OVERLOADED if there is none.
   */
  public static Future<Void> send(RoutingContext context, Buffer body) {
    if (body.length() <= UNCOUNTED_BYTES) {
      return end(context, body);
    }
    ByteBudget.Share memory = RequestContext.of(context).answerMemory();
    try {
      memory.take(body.length());
    } catch (KvException e) {
      memory.release();
      context.fail(e);
      return Future.failedFuture(e);
    }
    return end(context, body).onComplete(accepted -> memory.release());
  }

  /** Ends a response with a body whose memory is counted elsewhere. */
  static Future<Void> end(RoutingContext context, Buffer body) {
    HttpServerResponse response = context.response();
    if (headOnly(context)) {
      response.putHeader(HttpHeaders.CONTENT_LENGTH, String.valueOf(body.length()));
      return response.end();
    }
    return response.end(body);
  }

  /** Ends a response with JSON. */
  public static Future<Void> send(RoutingContext context, ObjectNode json) {
    return send(context, Buffer.buffer(Utf8.json(json.toString())));
  }

  /** Ends a response with text, which must not contain lone surrogates. */
  public static Future<Void> send(RoutingContext context, String body) {
    return send(context, Buffer.buffer(body));
  }
}
