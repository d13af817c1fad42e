package io.kvreactive.web.internal;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.web.ConnectionOptions;
import io.kvreactive.web.ServerOptions;
import io.kvreactive.web.StreamOptions;
import io.kvreactive.web.TlsOptions;
import io.kvreactive.web.internal.auth.FileWatcher;
import io.kvreactive.web.internal.guard.ConnectionLimiter;
import io.kvreactive.web.internal.guard.ConnectionReaper;
import io.kvreactive.web.internal.guard.TlsFiles;
import io.kvreactive.web.internal.http.InvalidRequestHandler;
import io.kvreactive.web.internal.vertx.LimitedServer;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The verticle that listens: one instance per event loop, all on the same port. */
public final class HttpVerticle extends VerticleBase {
  /** The state that all instances of one server share. */
  public static final class Shared {
    private final ServerOptions options;
    private final ServerContext serverContext;
    private final ConnectionLimiter connections;
    private final AtomicInteger port = new AtomicInteger();
    private final int anyPort;
    private volatile long stopBy; // System.nanoTime()
    private volatile @Nullable HttpServer listening;

    public Shared(ServerOptions options, ServerContext serverContext) {
      this.options = options;
      this.serverContext = serverContext;
      this.connections =
          new ConnectionLimiter(options.connections(), serverContext.filters().logs().refusals());
      this.anyPort = anyPort(serverContext.vertx());
    }

    /**
     * Returns a port number that stands for any free port. With port 0, each instance of the
     * verticle would have a port of its own; instances that listen on the same negative number
     * share one free port. Each call returns another number, because servers of one Vertx must not
     * share a port.
     */
    private static int anyPort(Vertx vertx) {
      return vertx
          .sharedData()
          .<String, Integer>getLocalMap(HttpVerticle.class.getName())
          .merge("lastAnyPort", -1, Integer::sum);
    }

    /** Sets the time, by {@code System.nanoTime()}, at which open connections are closed. */
    public void stopBy(long nanoTime) {
      this.stopBy = nanoTime;
    }

    private long millisToStop() {
      long left = TimeUnit.NANOSECONDS.toMillis(stopBy - System.nanoTime());
      return Math.max(MIN_CLOSE_MILLIS, Math.min(left, options.drainTimeout().toMillis()));
    }

    /** Returns the address of the server. Valid when the server listens. */
    public URI uri() {
      String host = options.host().contains(":") ? "[" + options.host() + "]" : options.host();
      String scheme = options.tls() == null ? "http" : "https";
      return URI.create(scheme + "://" + host + ":" + port.get());
    }

    /**
     * Reloads the certificate when its files change, until the result is run, which is idempotent.
     * Must be called before the files are read. Does nothing for a server without TLS.
     */
    public Future<Runnable> watchCertificate(Vertx vertx) {
      TlsOptions tls = options.tls();
      if (tls == null) {
        return Future.succeededFuture(() -> {});
      }
      List<Path> files = TlsFiles.files(tls);
      Duration pause = options.security().reloadEvery();
      return vertx
          .executeBlocking(() -> FileWatcher.stamps(files), false)
          .map(seen -> new FileWatcher(vertx, files, seen, pause, () -> reloadTls(vertx))::stop);
    }

    /**
     * Reloads the certificate, for new connections. If the files are not a certificate and its key,
     * fails and keeps the previous certificate.
     */
    private Future<?> reloadTls(Vertx vertx) {
      HttpServer any = listening; // the instances share a port, and a call to one applies to all
      return any == null
          ? Future.succeededFuture()
          : httpOptions(vertx, options)
              .compose(fresh -> any.updateSSLOptions(fresh.getSslOptions()));
    }
  }

  private static final long MIN_CLOSE_MILLIS = 200; // time to send pending output

  /**
   * The number of body bytes that a client may send on an HTTP/2 stream before any was consumed.
   * Deno waits some 60 ms for each window.
   */
  private static final int STREAM_WINDOW_BYTES = 1 << 20;

  /** The number of bytes for all streams of a connection. SocketGuard charges what is received. */
  private static final int CONNECTION_WINDOW_BYTES = 4 << 20;

  private final Shared shared;
  private @Nullable HttpServer server;

  public HttpVerticle(Shared shared) {
    this.shared = shared;
  }

  @Override
  public Future<?> start() {
    return httpOptions(vertx, shared.options)
        .compose(
            http ->
                // on a worker thread: the first routes of a process load some hundred classes
                vertx.executeBlocking(this::router, false).compose(router -> listen(http, router)))
        .onSuccess(bound -> shared.port.set(bound.actualPort()))
        .recover(failed -> Future.failedFuture(cannotListen(failed)));
  }

  private Router router() {
    Router router = Router.router(vertx);
    ServerRoutes.mount(router, shared.serverContext);
    return router;
  }

  private Future<HttpServer> listen(HttpServerOptions http, Router router) {
    ConnectionReaper watch = new ConnectionReaper(vertx, shared.connections);
    HttpServer listening =
        LimitedServer.create(vertx, http, shared.connections.acceptor(http))
            .connectionHandler(watch::opened)
            .invalidRequestHandler(InvalidRequestHandler::answer)
            .requestHandler(
                request -> {
                  HttpServerRequest watched = watch.track(request);
                  if (watched != null) {
                    router.handle(watched);
                  }
                });
    server = listening;
    shared.listening = listening;
    ServerOptions options = shared.options;
    return listening.listen(options.port() == 0 ? shared.anyPort : options.port(), options.host());
  }

  private Throwable cannotListen(Throwable failed) {
    return failed instanceof KvException
        ? failed
        : new KvException(
            KvErrorCode.UNAVAILABLE,
            "cannot listen on %s:%d: %s"
                .formatted(shared.options.host(), shared.options.port(), failed.getMessage()),
            failed);
  }

  private static Future<HttpServerOptions> httpOptions(Vertx vertx, ServerOptions options) {
    HttpServerOptions http = httpOptions(options.connections(), options.routes().stream());
    TlsOptions tls = options.tls();
    if (tls == null) {
      return Future.succeededFuture(http);
    }
    return vertx.executeBlocking(
        () -> {
          TlsFiles.configure(http, tls);
          return http;
        },
        false);
  }

  private static HttpServerOptions httpOptions(ConnectionOptions options, StreamOptions stream) {
    HttpServerOptions http =
        new HttpServerOptions()
            .setHttp2ClearTextEnabled(true)
            .setStrictThreadMode(true) // without a queue of 4 KB for each connection
            .setMaxInitialLineLength(options.maxUriBytes())
            .setMaxHeaderSize(options.maxHeaderBytes())
            .setTcpKeepAlive(true)
            .setInitialSettings(
                new Http2Settings()
                    .setMaxConcurrentStreams(options.maxStreams())
                    .setInitialWindowSize(STREAM_WINDOW_BYTES)
                    .setMaxHeaderListSize((long) options.maxUriBytes() + options.maxHeaderBytes()))
            .setHttp2ConnectionWindowSize(CONNECTION_WINDOW_BYTES)
            .setMaxWebSocketMessageSize(stream.maxMessageBytes())
            .setPerMessageWebSocketCompressionSupported(false)
            .setPerFrameWebSocketCompressionSupported(false);
    ConnectionReaper.prepare(http, options);
    return http;
  }

  @Override
  public Future<?> stop() {
    HttpServer listening = server;
    return listening == null
        ? Future.succeededFuture()
        : listening.shutdown(shared.millisToStop(), TimeUnit.MILLISECONDS);
  }
}
