package io.kvreactive.web;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** A server on a free port of the loopback address, with a token and helpers to send requests. */
public final class TestServer implements AutoCloseable {
  public static final String TOKEN = "test-token-of-16-chars";
  public static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final Vertx vertx;
  private final KvServer server;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private TestServer(Vertx vertx, KvServer server) {
    this.vertx = vertx;
    this.server = server;
  }

  /** In memory. */
  public static TestServer start(Vertx vertx) {
    return start(vertx, ServerOptions.inMemory());
  }

  /** Starts a server on any free port. Sets a token if the options have none. */
  public static TestServer start(Vertx vertx, ServerOptions options) {
    String token = options.token() == null ? TOKEN : options.token();
    ServerOptions local =
        options
            .withAddress(
                "127.0.0.1", options.port() == ServerOptions.DEFAULT_PORT ? 0 : options.port())
            .withToken(token)
            .withConnections(patient(options.connections()));
    KvServer started = KvServer.start(vertx, local).block(TIMEOUT);
    if (started == null) {
      throw new AssertionError("no server");
    }
    return new TestServer(vertx, started);
  }

  /** Returns options whose connections survive stalls of the test. */
  private static ConnectionOptions patient(ConnectionOptions asked) {
    ConnectionOptions usual = ConnectionOptions.DEFAULT;
    return asked
        .withTimeouts(
            patient(asked.headerTimeout(), usual.headerTimeout()),
            patient(asked.bodyTimeout(), usual.bodyTimeout()))
        .withIdle(patient(asked.idleTimeout(), usual.idleTimeout()), asked.silenceTimeout());
  }

  private static Duration patient(Duration asked, Duration usual) {
    return asked.equals(usual) ? Duration.ofMinutes(5) : asked;
  }

  public Vertx vertx() {
    return vertx;
  }

  /**
   * Sends a request by a Vert.x client on an event loop. Chunks of an answer that arrive before a
   * handler is set are lost, so another thread might set it too late.
   */
  public static <T> Future<T> onLoop(Vertx vertx, Supplier<Future<T>> ask) {
    Promise<T> answer = Promise.promise();
    vertx.runOnContext(begin -> ask.get().onComplete(answer));
    return answer.future();
  }

  /** Returns options for metrics in a separate registry. */
  public static MetricsOptions metrics() {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    return new MetricsOptions(registry, registry::scrape, false);
  }

  public KvServer server() {
    return server;
  }

  public URI uri(String path) {
    return URI.create(server.uri() + path);
  }

  public int port() {
    return server.uri().getPort();
  }

  /** Sends a request with the token, after {@code change} is applied to the request. */
  public HttpResponse<String> send(
      String method, String path, String body, UnaryOperator<HttpRequest.Builder> change)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri(path))
            .timeout(TIMEOUT)
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .setHeader("Authorization", "Bearer " + TOKEN);
    return client.send(change.apply(request).build(), HttpResponse.BodyHandlers.ofString());
  }

  public HttpResponse<String> get(String path) throws Exception {
    return send("GET", path, "", request -> request);
  }

  public HttpResponse<String> post(String path, String json) throws Exception {
    return send("POST", path, json, request -> request.header("Content-Type", "application/json"));
  }

  @Override
  public void close() {
    server.close().block(TIMEOUT);
  }
}
