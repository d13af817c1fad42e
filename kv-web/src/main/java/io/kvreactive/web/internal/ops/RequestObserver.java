package io.kvreactive.web.internal.ops;

import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.http.FailureHandler;
import io.kvreactive.web.internal.http.Lifecycle;
import io.kvreactive.web.internal.http.RequestContext;
import io.kvreactive.web.internal.trace.Trace;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.util.concurrent.atomic.AtomicBoolean;

/** Observes every request: for traces, the access log and the server's lifecycle. */
public final class RequestObserver {
  private final ServerContext serverContext;

  public RequestObserver(ServerContext serverContext) {
    this.serverContext = serverContext;
  }

  /**
   * Returns a handler that observes a request until its end. It must come after {@code
   * RequestHandlers.begin}.
   */
  public Handler<RoutingContext> observe() {
    return context -> {
      long began = System.nanoTime();
      RequestContext requestContext = RequestContext.of(context);
      Trace trace = serverContext.tracing().begin(context.request());
      requestContext.trace(trace);
      String header = trace.header();
      if (header != null) {
        context.response().putHeader("traceresponse", header);
      }
      context.addEndHandler(
          ended -> {
            int status = status(context, ended.succeeded());
            String route = requestContext.route();
            trace.end(context.request().method().name(), route, status);
            if (serverContext.operations().accessLog()) {
              AccessLog.log(context, route, status, System.nanoTime() - began);
            }
          });
      context.next();
    };
  }

  /**
   * Returns the status of a request; {@link FailureHandler#CALLER_GONE} without a response. Over
   * HTTP/2, a response without a body closes its stream before Vert.x reports the end of the
   * response.
   */
  private static int status(RoutingContext context, boolean answered) {
    HttpServerResponse response = context.response();
    return answered || response.ended() ? response.getStatusCode() : FailureHandler.CALLER_GONE;
  }

  /**
   * Passes requests on while the server accepts them, and counts them as pending. Otherwise fails
   * them with STARTING or GOING_AWAY. A WebSocket is pending until its handshake is done; it is
   * stopped separately. Probes are answered in every state.
   */
  public void admit(RoutingContext context) {
    Operation operation = RequestContext.of(context).target().operation();
    if (operation != null && operation.isAlwaysAnswered()) {
      context.next();
      return;
    }
    Lifecycle lifecycle = serverContext.lifecycle();
    switch (lifecycle.state()) {
      case STARTING ->
          throw new WebException(WebErrorCode.STARTING, "the server is starting; see /readyz");
      case DRAINING -> {
        if (context.request().version() != io.vertx.core.http.HttpVersion.HTTP_2) {
          context.response().putHeader(HttpHeaders.CONNECTION, "close");
        }
        context.response().putHeader(HttpHeaders.RETRY_AFTER, "1");
        throw new WebException(WebErrorCode.GOING_AWAY, "the server is stopping");
      }
      case READY, LEAVING -> {
        lifecycle.entered();
        AtomicBoolean left = new AtomicBoolean();
        Runnable leave =
            () -> {
              if (left.compareAndSet(false, true)) {
                lifecycle.left();
              }
            };
        RequestContext.of(context).onUpgrade(leave);
        context.addEndHandler(ended -> leave.run());
        context.next();
      }
    }
  }
}
