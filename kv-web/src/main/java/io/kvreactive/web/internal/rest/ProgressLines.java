package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.web.internal.http.FailureHandler;
import io.kvreactive.web.internal.http.RequestContext;
import io.kvreactive.web.internal.http.ResponseStream;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import reactor.core.publisher.Flux;

/**
 * Answers long-running operations with lines of JSON that report the progress. The last line has
 * {@code "done":true}, or the problem as {@code "error"}. A failure before the first line is
 * answered like that of other requests. The operation is cancelled if the caller disconnects.
 */
public final class ProgressLines {
  private ProgressLines() {}

  /**
   * Answers a request.
   *
   * @param work the operation, which must emit lines on the Vert.x context that is current at
   *     subscribe; the last line is the result
   */
  public static void answer(RoutingContext context, Flux<ObjectNode> work) {
    HttpServerResponse response = context.response();
    Flux<Buffer> body =
        work.onErrorResume(
                failure -> response.headWritten(), failure -> Flux.just(problem(context, failure)))
            .map(ProgressLines::line);
    response.putHeader("Content-Type", Responses.NDJSON).putHeader("Cache-Control", "no-store");
    ResponseStream.write(context, body);
  }

  /**
   * Returns the progress of an operation whose lines are rarer than its progress. The first
   * progress sends the head of the answer, so that a caller that limits the time until an answer
   * begins does not give up a long operation. A failure after it is the last line.
   */
  public static <T> Flux<T> beginning(RoutingContext context, Flux<T> progress) {
    HttpServerResponse response = context.response();
    return progress.doOnNext(
        next -> {
          if (!response.headWritten() && !response.closed()) {
            response.writeHead();
          }
        });
  }

  private static ObjectNode problem(RoutingContext context, Throwable failure) {
    ObjectNode line = StrictJson.object();
    line.set(
        "error",
        FailureHandler.problem(context, failure).toJson(RequestContext.of(context).requestId()));
    return line;
  }

  private static Buffer line(ObjectNode json) {
    return Buffer.buffer(StrictJson.bytes(json)).appendByte((byte) '\n');
  }
}
