package io.kvreactive.web.internal.rest;

import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.web.ChangedEngine;
import io.kvreactive.web.OperationsOptions;
import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.ServerRoutes;
import io.kvreactive.web.internal.auth.Authenticator;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.guard.FilterChain;
import io.kvreactive.web.internal.http.Lifecycle;
import io.kvreactive.web.internal.http.ServerMemory;
import io.kvreactive.web.internal.stores.SingleDatabase;
import io.kvreactive.web.internal.trace.Tracing;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import java.net.URI;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** All routes over one store that the test can access, with tokens chosen by the test. */
public final class TestServerContext implements AutoCloseable {
  public final Kv kv;
  public final ServerMemory memory;
  public final Lifecycle lifecycle = new Lifecycle();

  /** The number of entries read from the store, and of commits emitted by feeds. */
  public final AtomicLong read = new AtomicLong();

  private final Vertx vertx;
  private final HttpServer server;

  public TestServerContext(
      Vertx vertx, KvOptions store, RoutesOptions options, Authenticator authenticator)
      throws Exception {
    this(vertx, store, options, authenticator, engine -> engine);
  }

  /**
   * Creates the routes with the default options, and lets every caller in.
   *
   * @param between wraps the engine between the routes and the store
   */
  public TestServerContext(Vertx vertx, UnaryOperator<KvEngine> between) throws Exception {
    this(vertx, KvOptions.inMemory(), RoutesOptions.DEFAULT, Authenticator.OPEN, between);
  }

  public TestServerContext(
      Vertx vertx,
      KvOptions store,
      RoutesOptions options,
      Authenticator authenticator,
      UnaryOperator<KvEngine> between)
      throws Exception {
    this.vertx = vertx;
    kv = Kv.open(vertx, store.withName("site-" + UUID.randomUUID())).block(TestServer.TIMEOUT);
    Router router = Router.router(vertx);
    ServerContext serverContext =
        ServerContext.of(
            vertx,
            new SingleDatabase(Kv.over(between.apply(counted(kv.engine())), "counted")),
            FilterChain.embedded(authenticator),
            options,
            lifecycle,
            OperationsOptions.DEFAULT,
            Tracing.HEADERS);
    memory = serverContext.bodyLimits().memory();
    ServerRoutes.mount(router, serverContext);
    server =
        vertx
            .createHttpServer()
            .requestHandler(router)
            .listen(0, "127.0.0.1")
            .toCompletionStage()
            .toCompletableFuture()
            .get(60, TimeUnit.SECONDS);
  }

  public TestServerContext(Vertx vertx) throws Exception {
    this(vertx, engine -> engine);
  }

  public Vertx vertx() {
    return vertx;
  }

  /** Tokens are names of grants. */
  public static Authenticator tokens(Grant... grants) {
    return token -> {
      for (Grant grant : grants) {
        if (grant.name().equals(token)) {
          return grant;
        }
      }
      return Grant.all("all");
    };
  }

  public URI uri() {
    return URI.create("http://127.0.0.1:" + server.actualPort());
  }

  public Rest rest() {
    return new Rest(uri());
  }

  private KvEngine counted(KvEngine engine) {
    KvEngine reads =
        ChangedEngine.of(engine, "read", (Mono<ReadResult> it) -> it.doOnNext(this::count));
    return ChangedEngine.of(
        reads, "changes", (Flux<?> feed) -> feed.doOnNext(commit -> read.incrementAndGet()));
  }

  private void count(ReadResult result) {
    result.pages().forEach(page -> read.addAndGet(page.entries().size()));
  }

  @Override
  public void close() {
    server.close().toCompletionStage().toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
    kv.close().block(TestServer.TIMEOUT);
  }

  /** Returns the memory that is held for answers. */
  public long heldForAnswers() {
    long[] held = {0};
    memory.forEach((kind, budget) -> held[0] += kind.equals("answers") ? budget.taken() : 0);
    return held[0];
  }
}
