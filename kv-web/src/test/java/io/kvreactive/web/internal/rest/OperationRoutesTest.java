package io.kvreactive.web.internal.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.kvreactive.web.OperationsOptions;
import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.auth.Authenticator;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.auth.OperationPaths;
import io.kvreactive.web.internal.guard.FilterChain;
import io.kvreactive.web.internal.http.Lifecycle;
import io.kvreactive.web.internal.http.OperationHandlers;
import io.kvreactive.web.internal.http.RequestHandlers;
import io.kvreactive.web.internal.stores.SingleDatabase;
import io.kvreactive.web.internal.trace.Tracing;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import io.vertx.junit5.VertxExtension;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The threads on which bodies are read. */
@ExtendWith(VertxExtension.class)
class OperationRoutesTest {
  @Test
  void readsLargeBodiesOffTheEventLoop(Vertx vertx) throws Exception {
    Kv kv = Kv.open(vertx, KvOptions.inMemory()).block(TestServer.TIMEOUT);
    Router router = Router.router(vertx);
    ServerContext serverContext =
        ServerContext.of(
            vertx,
            new SingleDatabase(kv),
            FilterChain.embedded(Authenticator.OPEN),
            RoutesOptions.DEFAULT,
            new Lifecycle(),
            OperationsOptions.DEFAULT,
            Tracing.HEADERS);
    OperationHandlers handlers = new OperationHandlers();
    new OperationRoutes(handlers, serverContext.bodyLimits(), 1 << 20)
        .body(
            Operation.ATOMIC,
            context -> {
              assertThat(OperationRoutes.json(context).isTextual()).isTrue();
              return Thread.currentThread().getName();
            },
            (context, reader) ->
                context.response().end(reader + " " + Thread.currentThread().getName()));
    OperationPaths paths = handlers.paths();
    router
        .route()
        .handler(
            context ->
                RequestHandlers.begin(
                    context,
                    paths,
                    serverContext.filters().logs(),
                    serverContext.bodyLimits().memory()))
        .handler(
            context -> {
              RequestHandlers.admit(context, Grant.all("all"), "all");
              context.next();
            })
        .handler(handlers::prepare)
        .handler(handlers::handle);
    HttpServer server =
        vertx
            .createHttpServer()
            .requestHandler(router)
            .listen(0, "127.0.0.1")
            .toCompletionStage()
            .toCompletableFuture()
            .get(60, TimeUnit.SECONDS);
    try {
      Rest rest = new Rest(java.net.URI.create("http://127.0.0.1:" + server.actualPort()));
      assertThat(threads(rest, 100)).matches("vert.x-eventloop\\S* vert.x-eventloop\\S*");
      assertThat(threads(rest, 300_000)).matches("vert.x-worker\\S* vert.x-eventloop\\S*");
    } finally {
      server.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
      kv.close().block(TestServer.TIMEOUT);
    }
  }

  private static String threads(Rest rest, int bytes) throws Exception {
    return Rest.client()
        .send(
            rest.request("POST", "/atomic", Rest.body("\"" + "x".repeat(bytes) + "\"")),
            java.net.http.HttpResponse.BodyHandlers.ofString())
        .body();
  }
}
