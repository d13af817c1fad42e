package io.kvreactive.web.internal.connect;

import io.kvreactive.connect.ConnectProtocol;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.http.BodyReader;
import io.kvreactive.web.internal.http.OperationRouter;
import io.kvreactive.web.internal.http.RoutePaths;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.regex.Pattern;

/** Mounts the routes of KV Connect: the metadata exchange and the data path. */
public final class ConnectRoutes {
  /**
   * The data path, relative to the path of the metadata exchange, which is that of the database.
   */
  static final String DATA_PATH = "/v2";

  private static final String DATABASE = "(?:/db/[^/]+)?";
  private static final String METHODS =
      String.join(
          "|", ConnectProtocol.SNAPSHOT_READ, ConnectProtocol.ATOMIC_WRITE, ConnectProtocol.WATCH);
  private static final Pattern FAILS_AS_TEXT =
      Pattern.compile(DATABASE + "/?(?:" + DATA_PATH.substring(1) + "/.*)?");
  private static final Pattern DATA =
      Pattern.compile(DATABASE + DATA_PATH + "/(?:" + METHODS + ")");
  private static final int MAX_METADATA_BYTES = 64 << 10;

  private ConnectRoutes() {}

  /**
   * Mounts the failure handler at the root, for routes whose errors are plain text. Must precede
   * all other routes. {@link #mountVersionCheck} must follow as soon as the request context exists.
   */
  public static void mountFailures(Router root) {
    root.route()
        .failureHandler(
            context -> {
              if (is(FAILS_AS_TEXT, context)) {
                ConnectFailures.asText(context);
              } else {
                context.next();
              }
            });
  }

  /** Mounts the checks that the protocol requires before authentication, at the root. */
  public static void mountVersionCheck(Router root) {
    root.route()
        .handler(
            context -> {
              if (is(DATA, context)) {
                ConnectHeaders.checkVersion(context);
              } else {
                context.next();
              }
            });
  }

  // matched by hand, because the route names of a router would appear in logs and meters
  private static boolean is(Pattern paths, RoutingContext context) {
    return context.request().method().equals(HttpMethod.POST)
        && paths.matcher(RoutePaths.below(context)).matches();
  }

  /** Mounts the routes below a database's path. */
  public static void mount(Router router, ServerContext serverContext) {
    OperationRouter.route(router, Operation.CONNECT_METADATA)
        .handler(serverContext.bodyLimits().reader(MAX_METADATA_BYTES))
        .handler(new MetadataHandler(serverContext.options().maxBodyBytes()));
    MessageBodies bodies = new MessageBodies(serverContext.bodyLimits().offload());
    BodyReader body = serverContext.bodyLimits().reader(serverContext.options().maxBodyBytes());
    data(router, Operation.CONNECT_READ, body, new SnapshotReadHandler(bodies));
    data(router, Operation.CONNECT_COMMIT, body, new AtomicWriteHandler(bodies));
    data(router, Operation.CONNECT_WATCH, body, new WatchHandler(bodies, serverContext));
  }

  private static void data(
      Router router, Operation operation, BodyReader body, Handler<RoutingContext> handler) {
    OperationRouter.route(router, operation).handler(QuickAck::handle);
    OperationRouter.open(router, operation)
        .handler(body)
        .handler(
            context -> {
              ConnectHeaders.checkDatabase(context);
              handler.handle(context);
            });
  }
}
