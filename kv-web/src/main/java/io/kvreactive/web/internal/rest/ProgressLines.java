package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.web.internal.http.FailureHandler;
import io.kvreactive.web.internal.http.RequestContext;
import io.kvreactive.web.internal.http.ResponseStream;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.publisher.Flux;

/**
 * Answers long-running operations with lines of JSON that report the progress. The last line has
 * {@code "done":true}, or the problem as {@code "error"}. A failure before the first line is
 * answered like that of other requests, if it happens within {@value #HEAD_AFTER_MILLIS} ms. The
 * operation is cancelled if the caller disconnects.
 */
public final class ProgressLines {
  /**
   * The time without a line after which the head of the response is sent, so that a caller which
   * limits the time until an answer begins sees that the server works.
   */
  private static final long HEAD_AFTER_MILLIS = 250;

  private ProgressLines() {}

  /**
   * Answers a request.
   *
   * @param work the operation, which must emit lines on the Vert.x context that is current at
   *     subscribe; the last line is the result
   */
  public static void answer(RoutingContext context, Flux<ObjectNode> work) {
    HttpServerResponse response = context.response();
    AtomicBoolean begun = new AtomicBoolean();
    Flux<Buffer> body =
        work.doOnNext(line -> begun.set(true))
            .onErrorResume(failure -> begun.get(), failure -> Flux.just(problem(context, failure)))
            .map(ProgressLines::line);
    response.putHeader("Content-Type", Responses.NDJSON).putHeader("Cache-Control", "no-store");
    ResponseStream.write(context, body);
    long timer =
        context
            .vertx()
            .setTimer(
                HEAD_AFTER_MILLIS,
                fired -> {
                  if (!response.headWritten() && !response.closed()) {
                    begun.set(true);
                    response.writeHead();
                  }
                });
    context.addEndHandler(ended -> context.vertx().cancelTimer(timer));
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
