package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.shared.CancellableSubscriber;
import io.kvreactive.internal.shared.SubscriberContext;
import io.kvreactive.web.internal.http.RequestContext;
import io.kvreactive.web.internal.http.ResponseBodies;
import io.kvreactive.web.internal.http.WholeSource;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.util.function.Consumer;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** Writes responses of the REST interface. */
public final class Responses {
  /** The header with the version that was read or written. */
  public static final String VERSIONSTAMP = "X-Kv-Versionstamp";

  public static final String JSON = "application/json";
  public static final String NDJSON = "application/x-ndjson";
  public static final String BYTES = "application/octet-stream";

  private Responses() {}

  /** Answers with JSON. The future fails if the response cannot be sent. */
  public static Future<Void> json(RoutingContext context, JsonNode body) {
    return json(context, StrictJson.bytes(body));
  }

  /** Answers with JSON in UTF-8. The future fails if the response cannot be sent. */
  public static Future<Void> json(RoutingContext context, byte[] body) {
    setType(context.response(), JSON);
    return ResponseBodies.send(context, Buffer.buffer(body));
  }

  /** Returns a response of JSON of a version, for {@link WholeSource}. */
  public static WholeSource.Whole whole(Versionstamp versionstamp, JsonNode body) {
    return WholeSource.Whole.of(
        Buffer.buffer(StrictJson.bytes(body)),
        response -> setType(response, JSON).putHeader(VERSIONSTAMP, versionstamp.toString()));
  }

  /** Sets the headers of a response, which must not be cached. */
  public static HttpServerResponse setType(HttpServerResponse response, String type) {
    return response.putHeader("Content-Type", type).putHeader("Cache-Control", "no-store");
  }

  /** Sets the header with the version that was read or written. */
  public static void stamp(RoutingContext context, Versionstamp versionstamp) {
    context.response().putHeader(VERSIONSTAMP, versionstamp.toString());
  }

  /** Answers with the versionstamp of a commit. */
  public static void committed(RoutingContext context, Versionstamp versionstamp) {
    stamp(context, versionstamp);
    json(context, DataWriter.bytes(versionstamp));
  }

  /**
   * Answers a request with the result of an operation, or fails the request with its error. Cancels
   * the operation if the caller disconnects.
   *
   * @param work the operation, which must emit on the Vert.x context that is current at subscribe
   * @param write writes the response
   */
  public static <T> void when(RoutingContext context, Mono<T> work, Consumer<T> write) {
    Disposable.Swap running = Disposables.swap();
    context.addEndHandler(ended -> running.dispose()); // also if the caller disconnects
    running.update(
        CancellableSubscriber.receive(
            work.contextWrite(RequestContext.of(context).trace()::context),
            result -> {
              if (!context.response().closed()) {
                write.accept(result);
              }
            },
            context::fail));
  }

  /** Returns a scheduler for the current Vert.x context. For engines, which emit on any thread. */
  public static Scheduler here() {
    return SubscriberContext.REQUIRED.scheduler();
  }
}
