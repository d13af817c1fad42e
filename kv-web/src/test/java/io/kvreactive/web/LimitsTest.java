package io.kvreactive.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.web.internal.auth.TokenFile;
import io.kvreactive.web.internal.auth.TokenScope;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.junit5.VertxExtension;
import java.net.SocketException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Limits on the rate of requests and the number of connections. */
@ExtendWith(VertxExtension.class)
class LimitsTest {
  @TempDir Path directory;
  private TestServer server;
  private static Vertx vertx;

  @BeforeAll
  static void use(Vertx vertx) {
    LimitsTest.vertx = vertx;
  }

  @BeforeEach
  void begin() {
    LogOf.begin();
  }

  @AfterEach
  void close() {
    server.close();
  }

  private void start(LimitOptions limits, ConnectionOptions connections) {
    server =
        TestServer.start(
            vertx, ServerOptions.at(directory).withLimits(limits).withConnections(connections));
  }

  private HttpResponse<String> ask(String path, String token) throws Exception {
    return server.send(
        "POST",
        path,
        "",
        request ->
            request
                .setHeader("Authorization", "Bearer " + token)
                .setHeader("x-denokv-version", "3"));
  }

  /** Returns the first answer with the given status. A later request may be allowed again. */
  private HttpResponse<String> untilStatus(int status, String path, String token) throws Exception {
    AtomicReference<HttpResponse<String>> last = new AtomicReference<>();
    Conditions.await(
        () -> {
          last.set(ask(path, token));
          return last.get().statusCode() == status;
        });
    return last.get();
  }

  @Test
  void limitsTheRequestRateOfAToken() throws Exception {
    String secret =
        new TokenFile(directory.resolve(ServerOptions.TOKENS_FILE))
            .create("busy", TokenScope.all())
            .secret();
    start(LimitOptions.DEFAULT.withRequests(1, 3), ConnectionOptions.DEFAULT);
    HttpResponse<String> refused = untilStatus(429, "/nowhere", secret);
    assertThat(refused.headers().firstValue("Retry-After").orElseThrow()).matches("[1-9]");
    assertThat(refused.body()).contains("RATE_LIMITED", "\"retryable\":true");
    assertThat(LogOf.audit())
        .anyMatch(e -> e.contains("event=rate.limited") && e.contains("token=busy"));
    assertThat(ask("/nowhere", TestServer.TOKEN).statusCode()).as("another token").isEqualTo(404);
    Conditions.await(() -> ask("/nowhere", secret).statusCode() == 404);
  }

  @Test
  void answersKvConnectThatTheServerIsBusy() throws Exception {
    start(LimitOptions.DEFAULT.withRequests(1, 1), ConnectionOptions.DEFAULT);
    for (String path : List.of("/v2/snapshot_read", "/db/default/v2/atomic_write")) {
      HttpResponse<String> refused = untilStatus(503, path, TestServer.TOKEN);
      assertThat(refused.headers().firstValue("Retry-After")).isPresent();
    }
  }

  @Test
  void limitsTheRateOfFailedAttemptsWithoutLockingOutOthers() throws Exception {
    String secret =
        new TokenFile(directory.resolve(ServerOptions.TOKENS_FILE))
            .create("other", TokenScope.all())
            .secret();
    start(LimitOptions.DEFAULT.withFailuresPerMinute(1), ConnectionOptions.DEFAULT);
    List<Integer> statuses = new ArrayList<>();
    for (int i = 0;
        i < 4;
        i++) { // the next attempt is allowed after a minute, which is longer than the test
      statuses.add(ask("/nowhere", "guess-" + i).statusCode());
    }
    assertThat(statuses).containsExactly(401, 429, 429, 429);
    assertThat(ask("/nowhere", TestServer.TOKEN).statusCode())
        .as("a token that could be guessed is not heard either")
        .isEqualTo(429);
    assertThat(ask("/nowhere", secret).statusCode()).isEqualTo(404);
    assertThat(ask("/nowhere", "x".repeat(60)).statusCode()).isEqualTo(429);
  }

  @Test
  void limitsTheConnectionsOfAnAddress() throws Exception {
    start(LimitOptions.DEFAULT, ConnectionOptions.DEFAULT.withMax(10, 3));
    List<RawConnection> open = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        RawConnection raw = new RawConnection(server.port());
        open.add(raw);
        assertThat(raw.send("GET /livez HTTP/1.1", "Host: localhost", "").readHead())
            .startsWith("HTTP/1.1 200");
      }
      try (RawConnection fourth = new RawConnection(server.port())) {
        assertThat(fourth.send("GET /livez HTTP/1.1", "Host: localhost", "").readToEnd()).isEmpty();
      }
      assertThat(LogOf.audit()).anyMatch(e -> e.contains("event=connection.refused"));
    } finally {
      for (RawConnection raw : open) {
        raw.close();
      }
    }
    Conditions.await(
        () -> {
          try (RawConnection raw = new RawConnection(server.port())) {
            return raw.send("GET /livez HTTP/1.1", "Host: localhost", "")
                .readHead()
                .startsWith("HTTP/1.1 200");
          } catch (SocketException e) {
            return false; // it was closed at once, as the fourth connection
          }
        });
  }

  /** Requests that are cancelled at once cost the server more than the caller. */
  @Test
  void closesConnectionsThatKeepCancellingRequests() throws Exception {
    start(LimitOptions.DEFAULT, ConnectionOptions.DEFAULT);
    CountDownLatch closed = new CountDownLatch(1);
    HttpClientAgent client = http2(closed);
    try {
      Conditions.await(
          () -> {
            for (int i = 0; i < 20; i++) {
              cancel(client);
            }
            return closed.getCount() == 0;
          });
    } finally {
      client.close();
    }
  }

  /** Callers with timeouts, and proxies for many callers, cancel requests. */
  @Test
  void toleratesSomeCancelledRequests() throws Exception {
    start(LimitOptions.DEFAULT, ConnectionOptions.DEFAULT);
    CountDownLatch closed = new CountDownLatch(1);
    HttpClientAgent client = http2(closed);
    try {
      for (int i = 0; i < 500; i++) {
        cancel(client).toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
      }
      TestServer.onLoop(
              vertx,
              () ->
                  client
                      .request(HttpMethod.GET, server.port(), "127.0.0.1", "/livez")
                      .compose(HttpClientRequest::send)
                      .compose(HttpClientResponse::body))
          .toCompletionStage()
          .toCompletableFuture()
          .get(60, TimeUnit.SECONDS);
      assertThat(closed.getCount()).isOne();
    } finally {
      client.close();
    }
  }

  private static HttpClientAgent http2(CountDownLatch closed) {
    return vertx
        .httpClientBuilder()
        .with(
            new HttpClientOptions()
                .setProtocolVersion(HttpVersion.HTTP_2)
                .setHttp2ClearTextUpgrade(false))
        .withConnectHandler(
            connection ->
                connection
                    .exceptionHandler(broken -> {}) // otherwise it is logged
                    .closeHandler(v -> closed.countDown()))
        .build();
  }

  private Future<?> cancel(HttpClientAgent client) {
    return client
        .request(HttpMethod.POST, server.port(), "127.0.0.1", "/nowhere")
        .compose(
            request -> {
              request.setChunked(true).exceptionHandler(reset -> {});
              return request.sendHead().eventually(() -> request.reset(8).otherwiseEmpty());
            });
  }
}
