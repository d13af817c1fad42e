package io.kvreactive.web.internal.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.json.Utf8;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;

/**
 * The ends of answers. Who asks for the head alone is sent no body: over HTTP/2, Vert.x would send
 * it, and clients break the connection off.
 */
public final class ResponseBodies {
  private ResponseBodies() {}

  /** Whether only the head is asked for. */
  public static boolean headOnly(RoutingContext context) {
    return HttpMethod.HEAD.equals(context.request().method());
  }

  /** Ends an answer with its body. */
  public static Future<Void> with(RoutingContext context, Buffer body) {
    HttpServerResponse response = context.response();
    if (headOnly(context)) {
      response.putHeader(HttpHeaders.CONTENT_LENGTH, String.valueOf(body.length()));
      return response.end();
    }
    return response.end(body);
  }

  /** Like the other, of JSON. */
  public static Future<Void> with(RoutingContext context, ObjectNode json) {
    return with(context, Buffer.buffer(Utf8.json(json.toString())));
  }

  /** Like the other, of text without lone surrogates. */
  public static Future<Void> with(RoutingContext context, String body) {
    return with(context, Buffer.buffer(body));
  }
}
