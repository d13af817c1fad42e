package io.kvreactive.web.explorer;

import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.web.OperationsOptions;
import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.ServerRoutes;
import io.kvreactive.web.internal.auth.AccessRight;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.guard.FilterChain;
import io.kvreactive.web.internal.http.Lifecycle;
import io.kvreactive.web.internal.stores.SingleDatabase;
import io.kvreactive.web.internal.trace.Tracing;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** The routes of one store, mounted below {@code /shop/} of another program's router. */
final class Mounted implements AutoCloseable {
  static final String READER = "reader";
  static final String WRITER = "writer";

  /** The token for keys below {@code ["users"]}. */
  static final String USERS = "users";

  final Kv kv;
  final Lifecycle lifecycle = new Lifecycle();
  private final HttpServer server;

  Mounted(Vertx vertx) {
    KvOptions options =
        KvOptions.inMemory()
            .withName("mounted-" + UUID.randomUUID())
            .withLimits(KvOptions.inMemory().limits().withMaxValueBytes(4 << 20));
    kv = Kv.open(vertx, options).block(TestServer.TIMEOUT);
    ServerContext serverContext =
        ServerContext.of(
            vertx,
            new SingleDatabase(kv),
            FilterChain.embedded(Mounted::grant),
            RoutesOptions.DEFAULT,
            lifecycle,
            OperationsOptions.DEFAULT,
            Tracing.HEADERS);
    Router routes = Router.router(vertx);
    ServerRoutes.mount(routes, serverContext);
    Router program = Router.router(vertx);
    program.route("/shop/*").subRouter(routes);
    server = vertx.createHttpServer().requestHandler(program).listen(0, "127.0.0.1").await();
  }

  private static Grant grant(String token) {
    if (token == null) {
      throw new WebException(WebErrorCode.UNAUTHENTICATED, "no bearer token");
    }
    return switch (token) {
      case READER -> new Grant(READER, Set.of(AccessRight.READ), List.of(), Set.of(), null);
      case USERS ->
          new Grant(
              USERS,
              Set.of(AccessRight.READ, AccessRight.WRITE),
              List.of(KvKey.of("users")),
              Set.of(),
              null);
      default -> Grant.all(WRITER);
    };
  }

  String uri() {
    return "http://127.0.0.1:" + server.actualPort() + "/shop";
  }

  @Override
  public void close() {
    server.close().await();
    kv.close().block(TestServer.TIMEOUT);
  }
}
