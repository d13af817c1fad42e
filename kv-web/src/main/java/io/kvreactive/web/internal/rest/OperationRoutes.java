package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.web.internal.BodyLimits;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.http.BodyReader;
import io.kvreactive.web.internal.http.JsonTreeSize;
import io.kvreactive.web.internal.http.OperationHandlers;
import io.kvreactive.web.internal.http.RequestContext;
import io.kvreactive.web.internal.http.RequestHandlers;
import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** Sets the handlers of operations, with body limits and content types. */
public final class OperationRoutes {
  private final OperationHandlers handlers;
  private final BodyLimits bodyLimits;
  private final int maxBodyBytes;

  public OperationRoutes(OperationHandlers handlers, BodyLimits bodyLimits, int maxBodyBytes) {
    this.handlers = handlers;
    this.bodyLimits = bodyLimits;
    this.maxBodyBytes = maxBodyBytes;
  }

  /** Sets the handler of requests without a body that matters. */
  public void plain(Operation operation, Handler<RoutingContext> handler) {
    handlers.on(operation, handler);
  }

  /**
   * Sets the handler of requests whose lines are read as they arrive.
   *
   * @param handler executes the request; its second argument starts reading lines, each at most as
   *     long as a body may be
   */
  public void streamed(
      Operation operation, BiConsumer<RoutingContext, Supplier<LineUpload>> handler) {
    handlers.on(
        operation,
        context -> {
          var unused = ContentNegotiation.contentType(context, operation.body());
          context.next();
        },
        context ->
            handler.accept(context, () -> LineUpload.begin(context, bodyLimits, maxBodyBytes)));
  }

  /**
   * Sets the handlers of requests whose body is read as a whole.
   *
   * @param read parses the request; runs on a worker thread for a large body
   * @param then executes the request on the event loop
   */
  public <T> void body(
      Operation operation, Function<RoutingContext, T> read, BiConsumer<RoutingContext, T> then) {
    body(operation, true, read, then);
  }

  /** Sets the handlers of requests that may have no body, and then need no content type. */
  <T> void optionalBody(
      Operation operation, Function<RoutingContext, T> read, BiConsumer<RoutingContext, T> then) {
    body(operation, false, read, then);
  }

  private <T> void body(
      Operation operation,
      boolean required,
      Function<RoutingContext, T> read,
      BiConsumer<RoutingContext, T> then) {
    BodyReader reader = bodyLimits.reader(maxBodyBytes);
    handlers.on(
        operation,
        context -> {
          if (required || context.request().headers().contains("Content-Type")) {
            var unused = ContentNegotiation.contentType(context, operation.body());
          }
          reader.handle(context);
        },
        context -> read(context, read, then));
  }

  private <T> void read(
      RoutingContext context,
      Function<RoutingContext, T> read,
      BiConsumer<RoutingContext, T> then) {
    if (RequestContext.of(context).createsDatabase()) {
      // validates first; reads again with the clock of the new store
      take(
          context,
          read,
          (same, requested) -> RequestHandlers.whenCreated(same, () -> take(same, read, then)));
    } else {
      take(context, read, then);
    }
  }

  private <T> void take(
      RoutingContext context,
      Function<RoutingContext, T> read,
      BiConsumer<RoutingContext, T> then) {
    bodyLimits
        .offload()
        .parse(context, () -> read.apply(context), requested -> then.accept(context, requested));
  }

  /** Returns the body as JSON. */
  public static JsonNode json(RoutingContext context) {
    byte[] body = BodyReader.bytes(context);
    BodyReader.takeTree(context, JsonTreeSize.of(body));
    return StrictJson.parse("body", body);
  }
}
