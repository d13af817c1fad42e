package io.kvreactive.web;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.DocumentThreads;
import io.kvreactive.web.internal.HttpVerticle;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.auth.ScopedTokens;
import io.kvreactive.web.internal.auth.SingleToken;
import io.kvreactive.web.internal.auth.TokenManager;
import io.kvreactive.web.internal.database.Databases;
import io.kvreactive.web.internal.guard.FilterChain;
import io.kvreactive.web.internal.http.Lifecycle;
import io.kvreactive.web.internal.stores.StoreDatabases;
import io.kvreactive.web.internal.trace.Tracing;
import io.micrometer.core.instrument.Gauge;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/** A server of stores: KV Connect, REST, WebSocket and the explorer on one port. */
public final class KvServer {
  private static final Logger LOG = LoggerFactory.getLogger(KvServer.class);

  /** Maximum number of concurrent long queries on a heap of 1 GiB or more. */
  private static final int MAX_LONG_QUERIES = 64;

  /** Minimum number of concurrent long queries on any heap. */
  private static final int MIN_LONG_QUERIES = 16;

  /** Number of callers that together may use all long queries. */
  private static final int LONG_QUERY_CALLERS = 4;

  private final ServerOptions options;
  private final ServerContext serverContext;
  private final HttpVerticle.Shared shared;
  private final DocumentThreads threads;
  private final Runnable stopCertificateWatch;
  private final String deployment;

  private KvServer(
      ServerOptions options,
      ServerContext serverContext,
      HttpVerticle.Shared shared,
      DocumentThreads threads,
      Runnable stopCertificateWatch,
      String deployment) {
    this.options = options;
    this.serverContext = serverContext;
    this.shared = shared;
    this.threads = threads;
    this.stopCertificateWatch = stopCertificateWatch;
    this.deployment = deployment;
  }

  /**
   * Listens and opens the stores. Emits the server when it answers requests. Errors: those of
   * {@code Kv.open}; UNAVAILABLE if the address cannot be bound; INVALID_ARGUMENT without a token
   * and a token file, and for an invalid certificate or token file.
   */
  public static Mono<KvServer> start(Vertx vertx, ServerOptions options) {
    return Mono.defer(
        () -> {
          Tracing tracing = Tracing.find();
          DocumentThreads threads =
              DocumentThreads.create(
                  queryLimits(Runtime.getRuntime().maxMemory())
                      .withMaxVectorMemory(options.operations().maxVectorMemoryBytes())
                      .withMaxQueryMemory(options.operations().maxQueryMemoryBytes()));
          Databases databases =
              new StoreDatabases(
                  vertx,
                  options.directory(),
                  options.engine(),
                  options.createDatabases(),
                  options.operations().stores(),
                  DocumentStoreOptions.DEFAULT
                      .withThreads(threads)
                      .withAllowLazy(
                          options.operations().allowLazy() || options.routes().allowLazy()),
                  tracing);
          return filters(vertx, options)
              .flatMap(filters -> listen(vertx, options, databases, threads, filters, tracing))
              .doOnError(failed -> threads.close())
              .flatMap(KvServer::open);
        });
  }

  /** Returns the limits of all concurrent queries for a heap of {@code heap} bytes. */
  static DocumentThreads.Limits queryLimits(long heap) {
    int queries = (int) Math.max(MIN_LONG_QUERIES, Math.min(MAX_LONG_QUERIES, heap >> 24));
    return new DocumentThreads.Limits(queries, queries / LONG_QUERY_CALLERS);
  }

  private static Mono<FilterChain> filters(Vertx vertx, ServerOptions options) {
    String token = options.token();
    Path file = options.security().tokens();
    if (file == null) {
      if (token == null) {
        throw new KvException(
            KvErrorCode.INVALID_ARGUMENT,
            "no token and no token file (expected: ServerOptions.withToken)");
      }
      return Mono.just(FilterChain.of(options, new SingleToken(token), null));
    }
    ScopedTokens tokens = new ScopedTokens(token);
    return mono(() -> TokenManager.open(vertx, file, tokens, options.security().reloadEvery()))
        .map(keeper -> FilterChain.of(options, tokens, keeper));
  }

  private static Mono<KvServer> listen(
      Vertx vertx,
      ServerOptions options,
      Databases databases,
      DocumentThreads threads,
      FilterChain filters,
      Tracing tracing) {
    ServerContext serverContext =
        ServerContext.of(
            vertx,
            databases,
            filters,
            options.routes(),
            new Lifecycle(Lifecycle.State.STARTING),
            options.operations(),
            tracing);
    MetricsOptions metrics = options.operations().metrics();
    if (metrics != null) {
      Gauge.builder("kv.vector.memory", threads, DocumentThreads::vectorMemoryBytes)
          .description("Estimated heap of approximate vector indexes")
          .baseUnit("bytes")
          .register(metrics.registry());
      Gauge.builder("kv.vector.memory.limit", threads, DocumentThreads::maxVectorMemoryBytes)
          .description("Maximum heap of approximate vector indexes")
          .baseUnit("bytes")
          .register(metrics.registry());
      Gauge.builder("kv.query.memory", threads, DocumentThreads::queryMemoryBytes)
          .description("Estimated heap that running queries hold")
          .baseUnit("bytes")
          .register(metrics.registry());
      Gauge.builder("kv.query.memory.limit", threads, DocumentThreads::maxQueryMemoryBytes)
          .description("Maximum heap that running queries hold")
          .baseUnit("bytes")
          .register(metrics.registry());
    }
    HttpVerticle.Shared shared = new HttpVerticle.Shared(options, serverContext);
    DeploymentOptions instances =
        new DeploymentOptions().setInstances(Runtime.getRuntime().availableProcessors());
    return mono(() ->
            shared
                .watchCertificate(vertx)
                .compose(
                    watch ->
                        vertx
                            .deployVerticle(() -> new HttpVerticle(shared), instances)
                            .onFailure(failed -> watch.run())
                            .map(
                                id ->
                                    new KvServer(
                                        options, serverContext, shared, threads, watch, id))))
        .doOnError(failed -> filters.close());
  }

  private static <T> Mono<T> mono(Supplier<Future<T>> future) {
    return Mono.create(sink -> future.get().onComplete(sink::success, sink::error));
  }

  /**
   * Opens the default database. Until then, probes are answered with the state {@code starting}.
   */
  private Mono<KvServer> open() {
    return serverContext
        .databases()
        .open(Databases.DEFAULT, Grant.all("server"), true)
        .doOnNext(opened -> serverContext.lifecycle().ready())
        .thenReturn(this)
        .onErrorResume(failed -> close().onErrorComplete().then(Mono.error(failed)));
  }

  /** Returns the address on which the server listens, such as {@code http://127.0.0.1:4512}. */
  public URI uri() {
    return shared.uri();
  }

  /**
   * Stops the server gracefully. {@code /readyz} reports the stop, streams end with a position to
   * resume from, pending requests are answered within the drain timeout, and the stores are closed.
   * Completes when all commits are durable. Idempotent.
   */
  public Mono<Void> close() {
    return Mono.defer(
            () -> {
              boolean taken = serverContext.lifecycle().state() == Lifecycle.State.READY;
              serverContext.lifecycle().leave();
              return pause(taken ? options.operations().drainDelay() : Duration.ZERO);
            })
        .then(Mono.defer(this::drain))
        .then(Mono.defer(this::undeploy))
        .then(Mono.defer(() -> serverContext.databases().close()))
        .doFinally(
            ended -> {
              serverContext.filters().close();
              stopCertificateWatch.run();
              threads.close();
            });
  }

  private Mono<Void> pause(Duration delay) {
    return delay.isZero()
        ? Mono.empty()
        : Mono.create(
            sink -> serverContext.vertx().setTimer(delay.toMillis(), fired -> sink.success()));
  }

  /** Ends all streams and waits for pending requests, at most for the drain timeout. */
  private Mono<Void> drain() {
    Lifecycle lifecycle = serverContext.lifecycle();
    shared.stopBy(System.nanoTime() + options.drainTimeout().toNanos());
    lifecycle.drain();
    return lifecycle
        .idle()
        .timeout(options.drainTimeout())
        .onErrorResume(
            TimeoutException.class,
            late -> {
              LOG.warn(
                  "{} requests were not answered within the drain timeout", lifecycle.underWay());
              return Mono.empty();
            });
  }

  private Mono<Void> undeploy() {
    return Mono.create(
        sink ->
            serverContext
                .vertx()
                .undeploy(deployment)
                .onComplete(done -> sink.success(), failed -> sink.success()));
  }
}
