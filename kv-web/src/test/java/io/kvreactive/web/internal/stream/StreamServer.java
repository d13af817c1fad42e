package io.kvreactive.web.internal.stream;

import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.web.MetricsOptions;
import io.kvreactive.web.OperationsOptions;
import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.StreamOptions;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.ServerRoutes;
import io.kvreactive.web.internal.auth.Authenticator;
import io.kvreactive.web.internal.guard.FilterChain;
import io.kvreactive.web.internal.http.Lifecycle;
import io.kvreactive.web.internal.stores.SingleDatabase;
import io.kvreactive.web.internal.trace.Tracing;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.ext.web.Router;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/** A server of the routes, and access to its store. */
final class StreamServer implements AutoCloseable {
  static final Duration TIMEOUT = TestServer.TIMEOUT;

  private final Vertx vertx;
  private final Kv kv;
  private final Lifecycle lifecycle = new Lifecycle();
  private final PrometheusMeterRegistry meters =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final HttpServer server;

  private final boolean closesKv;

  private StreamServer(
      Vertx vertx, Kv kv, boolean closesKv, Authenticator authenticator, RoutesOptions options) {
    this.vertx = vertx;
    this.kv = kv;
    this.closesKv = closesKv;
    Router router = Router.router(vertx);
    ServerRoutes.mount(
        router,
        ServerContext.of(
            vertx,
            new SingleDatabase(kv),
            FilterChain.embedded(authenticator),
            options,
            lifecycle,
            OperationsOptions.DEFAULT.withMetrics(new MetricsOptions(meters, meters::scrape, true)),
            Tracing.HEADERS));
    this.server =
        await(
            vertx
                .createHttpServer(
                    new HttpServerOptions()
                        .setPort(0)
                        .setHost("127.0.0.1")
                        .setPerMessageWebSocketCompressionSupported(false))
                .requestHandler(router)
                .listen());
  }

  static StreamServer start(Vertx vertx) {
    return start(vertx, Authenticator.OPEN, StreamOptions.DEFAULT);
  }

  static StreamServer start(Vertx vertx, Authenticator authenticator, StreamOptions options) {
    return start(vertx, authenticator, options, all -> all);
  }

  static StreamServer start(
      Vertx vertx,
      Authenticator authenticator,
      StreamOptions options,
      UnaryOperator<KvOptions> change) {
    KvOptions store = change.apply(KvOptions.inMemory().withName("stream-" + UUID.randomUUID()));
    Kv kv = Kv.open(vertx, store).block(TIMEOUT);
    if (kv == null) {
      throw new AssertionError("no store");
    }
    return new StreamServer(
        vertx, kv, true, authenticator, RoutesOptions.DEFAULT.withStream(options));
  }

  /** Starts a server with the given memory for requests and WebSockets. */
  static StreamServer withMemory(Vertx vertx, Authenticator authenticator, long bytes) {
    Kv kv = Kv.inMemory(vertx).block(TIMEOUT);
    return new StreamServer(
        vertx,
        kv,
        true,
        authenticator,
        RoutesOptions.DEFAULT.withMaxBodyBytes(1 << 16).withMaxMemoryBytes(bytes));
  }

  /** Starts another server of a store. Closing the server does not close the store. */
  static StreamServer over(Vertx vertx, Kv kv) {
    return new StreamServer(vertx, kv, false, Authenticator.OPEN, RoutesOptions.DEFAULT);
  }

  static <T> T await(io.vertx.core.Future<T> future) {
    try {
      return future
          .toCompletionStage()
          .toCompletableFuture()
          .get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  Kv kv() {
    return kv;
  }

  int port() {
    return server.actualPort();
  }

  Lifecycle lifecycle() {
    return lifecycle;
  }

  /** Returns a gauge of the streams. */
  long gauge(String name) {
    return (long) meters.get("kv.stream." + name).gauge().value();
  }

  /** Waits for a condition. */
  static void until(BooleanSupplier condition) {
    long end = System.nanoTime() + TIMEOUT.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("it has not come true");
      }
      Thread.onSpinWait();
      LockSupport.parkNanos(1_000_000);
    }
  }

  StreamClient connect() {
    return StreamClient.connect(vertx, port(), null);
  }

  String set(Object value, Object... parts) {
    return String.valueOf(kv.set(KvKey.of(parts), value).block(TIMEOUT));
  }

  /** Sets {@code [first, i]} for i below n. */
  void fill(String first, int n, Object value) {
    kv.load(
            reactor.core.publisher.Flux.range(0, n)
                .map(i -> io.kvreactive.KvRecord.of(KvKey.of(first, i), value)))
        .blockLast(TIMEOUT);
  }

  @Override
  public void close() {
    await(server.close());
    if (closesKv) {
      kv.close().block(TIMEOUT);
    }
  }
}
