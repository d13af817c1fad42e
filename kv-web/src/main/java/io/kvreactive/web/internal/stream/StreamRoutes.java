package io.kvreactive.web.internal.stream;

import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.http.AuditEntries;
import io.kvreactive.web.internal.http.ByteBudget;
import io.kvreactive.web.internal.http.OperationHandlers;
import io.kvreactive.web.internal.http.Outlet;
import io.kvreactive.web.internal.http.RequestContext;
import io.kvreactive.web.internal.vertx.ConnectionChannels;
import io.netty.channel.Channel;
import io.vertx.core.Context;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.ext.web.RoutingContext;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The route of the WebSocket {@code /api/v1/stream}. */
public final class StreamRoutes {
  private static final String SUBPROTOCOL = "kv.v1";
  private static final String HEADER = "Sec-WebSocket-Protocol";

  private final ServerContext serverContext;
  private final Map<Thread, EventLoopSockets> byEventLoop = new ConcurrentHashMap<>();

  private StreamRoutes(ServerContext serverContext) {
    this.serverContext = serverContext;
  }

  /** Sets the handler. */
  public static void mount(OperationHandlers handlers, ServerContext serverContext) {
    handlers.on(Operation.OPEN_STREAM, new StreamRoutes(serverContext)::handshake);
  }

  private void handshake(RoutingContext routing) {
    HttpServerRequest request = routing.request();
    RequestContext requestContext = RequestContext.of(routing);
    Grant grant = requestContext.grant();
    if (!"websocket".equalsIgnoreCase(request.getHeader("Upgrade"))) {
      throw new WebException(
          WebErrorCode.BAD_REQUEST,
          "not a WebSocket handshake (expected: the header Upgrade: websocket)");
    }
    if (serverContext.lifecycle().draining()) {
      throw new WebException(WebErrorCode.GOING_AWAY, "the server is stopping");
    }
    answerSubprotocol(routing, request.getHeader(HEADER));
    EventLoopSockets sockets = sockets(Outlet.current());
    Caller caller =
        new Caller(
            requestContext.database(),
            grant,
            requestContext.caller(),
            requestContext.requestId(),
            AuditEntries.actions(routing),
            AuditEntries.refusals(routing),
            requestContext.logs().failures(),
            serverContext.filters().messageLimiter(routing));
    Channel channel = ConnectionChannels.of(request.connection()); // see OutboundQueue.cut
    request
        .toWebSocket()
        .onSuccess(
            ws -> {
              requestContext.upgraded();
              begin(sockets, ws, channel, caller);
            })
        .onFailure(
            failure -> {
              if (!routing.response().ended()) {
                routing.fail(400, failure);
              }
            });
  }

  /**
   * Selects the subprotocol {@code kv.v1} for a client that offers subprotocols. A browser sends
   * the token as another subprotocol and requires one of its offers in the response, which must not
   * be the token.
   */
  private static void answerSubprotocol(RoutingContext routing, @Nullable String requested) {
    if (requested == null) {
      return;
    }
    if (Arrays.stream(requested.split(",", 16)).map(String::strip).noneMatch(SUBPROTOCOL::equals)) {
      throw new WebException(
          WebErrorCode.BAD_REQUEST, HEADER + " without " + SUBPROTOCOL + " (expected: kv.v1)");
    }
    routing.response().putHeader(HEADER, SUBPROTOCOL);
  }

  private void begin(EventLoopSockets sockets, ServerWebSocket ws, Channel channel, Caller caller) {
    if (!ws.isClosed()) {
      ByteBudget.Share memory = serverContext.bodyLimits().memory().stream(caller.key());
      StreamSocket socket = new StreamSocket(sockets, ws, channel, caller, memory);
      socket.begin();
      sockets.add(socket);
    }
  }

  /**
   * Returns the sockets of the current event loop. A worker context has no constant thread, so each
   * of its connections has sockets of its own.
   */
  private EventLoopSockets sockets(Context context) {
    return context.isEventLoopContext()
        ? byEventLoop.computeIfAbsent(
            Thread.currentThread(), loop -> new EventLoopSockets(context, serverContext))
        : new EventLoopSockets(context, serverContext);
  }
}
