package io.kvreactive.web.internal.stream;

import io.kvreactive.web.internal.Site;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.http.Audited;
import io.kvreactive.web.internal.http.Call;
import io.kvreactive.web.internal.http.Operations;
import io.kvreactive.web.internal.http.ServerMemory;
import io.kvreactive.web.internal.http.Streaming;
import io.kvreactive.web.internal.http.WebErrorCode;
import io.kvreactive.web.internal.http.WebException;
import io.kvreactive.web.internal.ops.ServerMeters;
import io.netty.channel.Channel;
import io.vertx.core.Context;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The WebSocket {@code /api/v1/stream}. */
public final class StreamRoutes {
  private static final String SUBPROTOCOL = "kv.v1";
  private static final String HEADER = "Sec-WebSocket-Protocol";

  private final Site site;
  private final ServerMeters meters;
  private final Map<Thread, Sockets> byEventLoop = new ConcurrentHashMap<>();

  private StreamRoutes(Site site) {
    this.site = site;
    this.meters = site.meters();
  }

  /** Mounts them below a database's path. */
  public static void mount(Router router, Site site) {
    StreamRoutes routes = new StreamRoutes(site);
    Operations.route(router, Operation.OPEN_STREAM).handler(routes::handshake);
  }

  private void handshake(RoutingContext routing) {
    HttpServerRequest request = routing.request();
    Call call = Call.of(routing);
    Grant grant = call.grant();
    if (!"websocket".equalsIgnoreCase(request.getHeader("Upgrade"))) {
      throw new WebException(
          WebErrorCode.BAD_REQUEST, "no WebSocket (expected: the header Upgrade: websocket)");
    }
    if (site.lifecycle().draining()) {
      throw new WebException(WebErrorCode.GOING_AWAY, "the server is being stopped");
    }
    answerSubprotocol(routing, request.getHeader(HEADER));
    Sockets sockets = sockets(Streaming.current());
    Caller caller =
        new Caller(
            call.database(),
            grant,
            call.caller(),
            call.requestId(),
            Audited.refusals(routing),
            call.logs().failures(),
            site.guard().rate(routing));
    Channel channel = ((ConnectionBase) request.connection()).channel(); // see Outbound.cut
    request
        .toWebSocket()
        .onSuccess(
            ws -> {
              call.upgraded();
              begin(sockets, ws, channel, caller);
            })
        .onFailure(
            failure -> {
              if (!routing.response().ended()) {
                routing.fail(400, failure);
              }
            });
  }

  /** Browsers send the token as a subprotocol, and want one of theirs back: never that one. */
  private static void answerSubprotocol(RoutingContext routing, @Nullable String asked) {
    if (asked == null) {
      return;
    }
    if (Arrays.stream(asked.split(",", 16)).map(String::strip).noneMatch(SUBPROTOCOL::equals)) {
      throw new WebException(
          WebErrorCode.BAD_REQUEST, HEADER + " without " + SUBPROTOCOL + " (expected: kv.v1)");
    }
    routing.response().putHeader(HEADER, SUBPROTOCOL);
  }

  private void begin(Sockets sockets, ServerWebSocket ws, Channel channel, Caller caller) {
    if (!ws.isClosed()) {
      ServerMemory.StreamShare memory = site.intake().memory().stream(caller.key());
      StreamSocket socket = new StreamSocket(sockets, ws, channel, caller, memory);
      socket.begin();
      sockets.add(socket);
    }
  }

  /** One for each event loop; on a worker, whose thread is any, one for each connection. */
  private Sockets sockets(Context context) {
    return context.isEventLoopContext()
        ? byEventLoop.computeIfAbsent(Thread.currentThread(), loop -> newSockets(context))
        : newSockets(context);
  }

  private Sockets newSockets(Context context) {
    return new Sockets(site.vertx(), context, site.lifecycle(), site.options().stream(), meters);
  }
}
