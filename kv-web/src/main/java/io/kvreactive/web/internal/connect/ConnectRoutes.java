package io.kvreactive.web.internal.connect;

import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.http.BodyReader;
import io.kvreactive.web.internal.http.FailureHandler;
import io.kvreactive.web.internal.http.OperationHandlers;
import io.kvreactive.web.internal.http.RequestContext;
import io.kvreactive.web.internal.http.RequestHandlers;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;
import java.util.regex.Pattern;

/** The routes of KV Connect: the metadata exchange and the data path. */
public final class ConnectRoutes {
  /** The path of data, relative to that of the metadata exchange, which is the database's. */
  static final String DATA_PATH = "/v2";

  /** Paths whose errors are plain text: the metadata exchange, and all below the data path. */
  private static final Pattern FAILS_AS_TEXT =
      Pattern.compile("(?:/db/[^/]+)?/?(?:" + DATA_PATH.substring(1) + "/.*)?");

  private static final int MAX_METADATA_BYTES = 64 << 10;

  private ConnectRoutes() {}

  /** Answers a failed request: in plain text if it is one of KV Connect. */
  public static void fail(RoutingContext context) {
    if (context.request().method().equals(HttpMethod.POST)
        && FAILS_AS_TEXT.matcher(RequestHandlers.pathBelow(context)).matches()) {
      ConnectFailures.asText(context);
    } else {
      FailureHandler.asProblem(context);
    }
  }

  /** Makes the checks that the protocol requires before authentication. */
  public static void checkVersion(RoutingContext context) {
    Operation operation = RequestContext.of(context).target().operation();
    if (operation != null && operation.body() == Operation.Body.PROTOBUF) {
      ConnectHeaders.checkVersion(context);
    }
    context.next();
  }

  /** Sets the handlers. */
  public static void mount(OperationHandlers handlers, ServerContext serverContext) {
    handlers.on(
        Operation.CONNECT_METADATA,
        serverContext.bodyLimits().reader(MAX_METADATA_BYTES),
        new MetadataHandler(serverContext.options().maxBodyBytes()));
    MessageBodies bodies = new MessageBodies(serverContext.bodyLimits().offload());
    BodyReader body = serverContext.bodyLimits().reader(serverContext.options().maxBodyBytes());
    data(handlers, Operation.CONNECT_READ, body, new SnapshotReadHandler(bodies));
    data(handlers, Operation.CONNECT_COMMIT, body, new AtomicWriteHandler(bodies));
    data(handlers, Operation.CONNECT_WATCH, body, new WatchHandler(bodies, serverContext));
  }

  private static void data(
      OperationHandlers handlers,
      Operation operation,
      BodyReader body,
      Handler<RoutingContext> handler) {
    handlers.on(
        operation,
        context -> {
          QuickAck.handle(context);
          body.handle(context);
        },
        context -> {
          ConnectHeaders.checkDatabase(context);
          handler.handle(context);
        });
  }
}
