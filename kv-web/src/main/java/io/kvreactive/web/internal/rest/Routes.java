package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.web.internal.Intake;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.http.Aside;
import io.kvreactive.web.internal.http.BodyReader;
import io.kvreactive.web.internal.http.Call;
import io.kvreactive.web.internal.http.Calls;
import io.kvreactive.web.internal.json.TreeBytes;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Mounts the routes of operations, with what they have in common. */
public final class Routes {
  private final Router router;
  private final Intake intake;
  private final int maxBodyBytes;

  public Routes(Router router, Intake intake, int maxBodyBytes) {
    this.router = router;
    this.intake = intake;
    this.maxBodyBytes = maxBodyBytes;
  }

  /** A route whose requests have no body that matters. */
  public void plain(Operation operation, Handler<RoutingContext> handler) {
    route(operation)
        .handler(
            context -> {
              Call.of(context).authorize(operation);
              handler.handle(context);
            });
  }

  /** A route that reads its body by itself. */
  public void streamed(
      Operation operation, Handler<RoutingContext> handler, String... contentTypes) {
    route(operation).handler(context -> begin(context, operation, contentTypes));
    route(operation).handler(handler);
  }

  /**
   * A route whose requests have a body of one of these types, which is read as a whole.
   *
   * @param read makes of the request what it asks for; of a large body beside the event loop
   * @param then does it, on the event loop
   */
  public <T> void body(
      Operation operation,
      Function<RoutingContext, T> read,
      BiConsumer<RoutingContext, T> then,
      String... contentTypes) {
    route(operation).handler(context -> begin(context, operation, contentTypes));
    route(operation)
        .handler(intake.reader(maxBodyBytes))
        .handler(context -> read(context, read, then));
  }

  private Route route(Operation operation) {
    return router.route(HttpMethod.valueOf(operation.method()), operation.path());
  }

  private static void begin(RoutingContext context, Operation operation, String... contentTypes) {
    Call.of(context).authorize(operation);
    var unused = Accepts.contentType(context, contentTypes);
    context.next();
  }

  /** Begins to take lines in, as long as a body may be; for a route that is {@link #streamed}. */
  public Upload upload(RoutingContext context) {
    return Upload.begin(context, intake, maxBodyBytes);
  }

  private <T> void read(
      RoutingContext context,
      Function<RoutingContext, T> read,
      BiConsumer<RoutingContext, T> then) {
    if (Call.of(context).makes()) { // nothing, unless it makes sense; then its clock counts
      take(context, read, (same, asked) -> Calls.made(same, () -> take(same, read, then)));
    } else {
      take(context, read, then);
    }
  }

  private <T> void take(
      RoutingContext context,
      Function<RoutingContext, T> read,
      BiConsumer<RoutingContext, T> then) {
    if (BodyReader.length(context) <= Aside.MOST_ON_EVENT_LOOP) {
      then.accept(context, read.apply(context));
      return;
    }
    intake
        .aside()
        .run(() -> read.apply(context))
        .onComplete(asked -> go(context, asked, then), context::fail);
  }

  private static <T> void go(RoutingContext context, T asked, BiConsumer<RoutingContext, T> then) {
    if (context.response().closed()) {
      return; // nobody waits for it any more
    }
    try {
      then.accept(context, asked);
    } catch (RuntimeException e) {
      context.fail(e);
    }
  }

  /** The body as JSON. */
  public static JsonNode json(RoutingContext context) {
    byte[] body = BodyReader.bytes(context);
    BodyReader.takeTree(context, TreeBytes.of(body));
    return Json.parse("body", body);
  }
}
