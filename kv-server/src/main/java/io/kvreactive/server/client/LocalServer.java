package io.kvreactive.server.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.Kv;
import io.kvreactive.KvError;
import io.kvreactive.KvException;
import io.kvreactive.KvOptions;
import io.kvreactive.server.ExitCode;
import io.kvreactive.server.serve.LogSetup;
import io.kvreactive.web.KvRoutes;
import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.StreamOptions;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The store of a directory, opened exclusively by this process, behind the routes of a server. The
 * server listens on a free port of the loopback address. It rejects every request without a random
 * token that only this process has, and limits neither sizes nor times. Must be closed.
 * Thread-safe.
 */
final class LocalServer implements AutoCloseable {
  private static final String IDENTITY = "store"; // the name of a file of every store
  private static final int TOKEN_BYTES = 32;
  private static final int MAX_HEAD_BYTES = 1 << 20; // several of the longest keys, encoded
  private static final Duration UNLIMITED = Duration.ofDays(365);
  private static final int AHEAD = 64;

  private final Vertx vertx;
  private final Kv kv;
  private final KvRoutes routes;
  private final RestClient client;
  private final Thread atExit = new Thread(this::close, "kv-close"); // Ctrl-C
  private volatile @Nullable Throwable failure; // of the last failed request
  private boolean closed; // guarded by this

  private LocalServer(Vertx vertx, CompletableFuture<Kv> opening, boolean lazy) {
    this.vertx = vertx;
    RoutesOptions options =
        RoutesOptions.DEFAULT
            .withMaxBodyBytes(Integer.MAX_VALUE)
            .withMaxBodiesBytes(Long.MAX_VALUE)
            .withMaxMemoryBytes(Long.MAX_VALUE)
            .withStream(StreamOptions.DEFAULT.withMaxMessageBytes(MAX_HEAD_BYTES))
            .withAllowLazy(lazy);
    byte[] secret = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(secret);
    String token = HexFormat.of().formatHex(secret);
    Router router = Router.router(vertx);
    String host = InetAddress.getLoopbackAddress().getHostAddress();
    HttpServer server = listen(host, options, "Bearer " + token, router); // while the store opens
    URI base =
        URI.create(
            "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + server.actualPort());
    this.client = new RestClient(base, token, UNLIMITED, null, this::reason);
    this.kv = opening.join();
    router
        .route()
        .failureHandler(
            context -> {
              failure = context.failure();
              context.next();
            });
    this.routes = KvRoutes.mountUnauthenticated(vertx, router, kv, options);
  }

  /**
   * Opens the store of a directory.
   *
   * @param create true to create a store that does not exist
   * @param lazy true if collections may use the indexing mode lazy
   * @param oldValues true if the store keeps and reads previous values
   * @throws CliException USAGE if the store does not exist or is locked
   */
  static LocalServer open(Path directory, boolean create, boolean lazy, boolean oldValues) {
    if (!create && !Files.exists(directory.resolve(IDENTITY))) {
      throw new CliException(
          ExitCode.USAGE,
          "store not found in " + directory + " (commands that write create it with --create)");
    }
    LogSetup.quiet();
    Vertx vertx = Vertx.vertx();
    try {
      KvOptions options = KvOptions.at(directory).withOldValues(oldValues);
      LocalServer server = new LocalServer(vertx, Kv.open(vertx, options).toFuture(), lazy);
      Runtime.getRuntime().addShutdownHook(server.atExit);
      return server;
    } catch (CompletionException e) {
      vertx.close();
      throw e.getCause() instanceof KvException failed ? CliException.of(failed) : e;
    }
  }

  private HttpServer listen(
      String host, RoutesOptions options, String authorization, Router router) {
    byte[] expected = authorization.getBytes(StandardCharsets.US_ASCII);
    HttpServerOptions http =
        new HttpServerOptions()
            .setMaxInitialLineLength(MAX_HEAD_BYTES)
            .setMaxHeaderSize(MAX_HEAD_BYTES)
            .setMaxWebSocketFrameSize(options.stream().maxMessageBytes())
            .setMaxWebSocketMessageSize(options.stream().maxMessageBytes());
    return vertx
        .createHttpServer(http)
        .requestHandler(
            request -> {
              if (isAuthorized(request, expected)) {
                router.handle(request);
              } else {
                request.response().setStatusCode(401).end();
              }
            })
        .listen(0, host)
        .await();
  }

  private static boolean isAuthorized(HttpServerRequest request, byte[] expected) {
    String given = request.getHeader("Authorization");
    return given != null
        && MessageDigest.isEqual(given.getBytes(StandardCharsets.US_ASCII), expected);
  }

  /**
   * Returns the exception for the failure of the last request, with the details that a response
   * omits; null if there was none.
   */
  private @Nullable CliException reason() {
    return failure instanceof KvError known ? CliException.of(known) : null;
  }

  /** Returns the client of the server. */
  RestClient client() {
    return client;
  }

  /** Writes a backup. The route for backups writes below one directory only. */
  void backup(Path directory, Consumer<ObjectNode> progress) {
    try (Stream<ObjectNode> lines =
        kv.admin().backup(directory).map(JsonViews::progress).toStream(AHEAD)) {
      lines.forEach(progress);
    } catch (KvException e) {
      throw CliException.of(e);
    }
  }

  /** Closes the store, and returns when its commits are durable. Idempotent. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      routes.close().block();
      kv.close().block();
    } finally {
      vertx.close().await(); // an exit would wait longer for event loops in system calls
      remove();
    }
  }

  /** Makes this server unreachable for the JVM, which would keep its client until its end. */
  private void remove() {
    try {
      var unused = Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException ending) {
      // the JVM runs it, or has run it
    }
  }
}
