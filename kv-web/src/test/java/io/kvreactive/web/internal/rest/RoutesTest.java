package io.kvreactive.web.internal.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.kvreactive.web.OperationsOptions;
import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.internal.Site;
import io.kvreactive.web.internal.auth.Authenticator;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.guard.Guard;
import io.kvreactive.web.internal.http.Calls;
import io.kvreactive.web.internal.http.Lifecycle;
import io.kvreactive.web.internal.stores.OneDatabase;
import io.kvreactive.web.internal.trace.Tracing;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Where bodies are read. */
class RoutesTest {
  @Test
  void largeBodiesAreReadBesideTheEventLoop() throws Exception {
    Kv kv = Kv.open(TestServer.vertx(), KvOptions.inMemory()).block(TestServer.TIMEOUT);
    Router router = Router.router(TestServer.vertx());
    Site site =
        new Site(
            TestServer.vertx(),
            new OneDatabase(kv),
            Guard.embedded(Authenticator.OPEN),
            RoutesOptions.DEFAULT,
            new Lifecycle(),
            OperationsOptions.DEFAULT,
            Tracing.HEADERS);
    router.route().handler(context -> Calls.begin(context, site.guard().logs()));
    router
        .route()
        .handler(
            context -> {
              Calls.admit(context, Grant.all("all"), "all");
              context.next();
            });
    new Routes(router, site.intake(), 1 << 20)
        .body(
            Operation.COMMIT,
            context -> {
              assertThat(Routes.json(context).isTextual()).isTrue();
              return Thread.currentThread().getName();
            },
            (context, reader) ->
                context.response().end(reader + " " + Thread.currentThread().getName()),
            Replies.JSON);
    HttpServer server =
        TestServer.vertx()
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
