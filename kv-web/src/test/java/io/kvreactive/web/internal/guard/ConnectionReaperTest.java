package io.kvreactive.web.internal.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.web.ConnectionOptions;
import io.kvreactive.web.RawConnection;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.internal.auth.RefusalLog;
import io.kvreactive.web.internal.vertx.LimitedServer;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.http.ClientWebSocket;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Long exchanges survive short limits, and silent connections are closed. */
@ExtendWith(VertxExtension.class)
class ConnectionReaperTest {
  private static final Duration SHORT = Duration.ofMillis(100);
  private static final int BEATS = 12;
  private static final int BEAT_MILLIS = 50; // all beats take six times as long as the limits

  private final ConnectionLimiter connections =
      new ConnectionLimiter(
          ConnectionOptions.DEFAULT
              .withTimeouts(Duration.ofMinutes(5), SHORT)
              .withIdle(SHORT, Duration.ofMillis(400)),
          new RefusalLog());
  private String deployment = "";
  private int port;

  private final class Server extends VerticleBase {
    @Override
    public Future<?> start() {
      HttpServerOptions options = new HttpServerOptions().setHost("127.0.0.1").setPort(0);
      ConnectionReaper.prepare(options, connections.options());
      ConnectionReaper watch = new ConnectionReaper(vertx, connections);
      return LimitedServer.create(vertx, options, connections.acceptor(options))
          .connectionHandler(watch::opened)
          .requestHandler(
              request -> {
                HttpServerRequest asked = watch.track(request);
                if (asked != null) {
                  answer(asked);
                }
              })
          .listen()
          .map(HttpServer::actualPort)
          .onSuccess(bound -> port = bound);
    }

    private void answer(HttpServerRequest request) {
      switch (request.path()) {
        case "/stream" -> {
          request.response().setChunked(true).write("begin\n");
          beat(request, 1);
        }
        case "/late" ->
            vertx.setTimer(BEATS * BEAT_MILLIS / 2, t -> request.response().end("late"));
        case "/opening" -> { // like a request during the opening of a database
          request.pause();
          vertx.setTimer(
              BEATS * BEAT_MILLIS / 2,
              t -> {
                request.body().onSuccess(body -> request.response().end("took " + body));
                request.resume();
              });
        }
        case "/line" -> { // like an import that stores each line before it reads the next one
          request.pause();
          request.handler(
              piece ->
                  vertx.setTimer(
                      BEATS * BEAT_MILLIS / 2,
                      t -> {
                        request.endHandler(end -> request.response().end("took " + piece));
                        request.fetch(1);
                      }));
          request.fetch(1);
        }
        case "/socket" ->
            request
                .toWebSocket()
                .onSuccess(
                    socket ->
                        vertx.setTimer(
                            BEATS * BEAT_MILLIS / 2, t -> socket.writeTextMessage("late")));
        default -> {} // never answered
      }
    }

    private void beat(HttpServerRequest request, int count) {
      vertx.setTimer(
          BEAT_MILLIS,
          t -> {
            if (count == BEATS) {
              request.response().end("end\n");
            } else {
              request.response().write(":\n");
              beat(request, count + 1);
            }
          });
    }
  }

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    deployment = get(vertx.deployVerticle(new Server()));
  }

  @AfterEach
  void stop(Vertx vertx) throws Exception {
    get(vertx.undeploy(deployment));
  }

  private static <T> T get(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  private String ask(String path, String... headers) throws Exception {
    try (RawConnection raw = new RawConnection(port)) {
      raw.send("GET " + path + " HTTP/1.1", "Host: localhost").send(headers);
      return raw.readToEnd();
    }
  }

  @Test
  void keepsAStreamWithHeartbeats() throws Exception {
    assertThat(ask("/stream", "")).contains("begin").contains("end\n");
  }

  @Test
  void keepsAConnectionDuringASlowAnswer() throws Exception {
    assertThat(ask("/late", "")).endsWith("late");
  }

  @Test
  void keepsAConnectionWhoseBodyWaitsForTheServer() throws Exception {
    for (String path : new String[] {"/opening", "/line"}) {
      try (RawConnection raw = new RawConnection(port)) {
        raw.send("POST " + path + " HTTP/1.1", "Host: localhost", "Content-Length: 4", "", "body");
        assertThat(raw.readToEnd()).as(path).endsWith("took body");
      }
    }
  }

  @Test
  void closesSilentConnections() throws Exception {
    assertThat(ask("/never", "")).isEmpty();
  }

  @Test
  void keepsAWebSocket(Vertx vertx) throws Exception {
    var client = vertx.createWebSocketClient();
    try {
      CompletableFuture<Boolean> open = new CompletableFuture<>();
      ClientWebSocket socket = client.webSocket();
      socket
          .textMessageHandler( // set before a message can be lost
              text -> {
                open.complete(!socket.isClosed()); // nothing is sent later
                socket.close();
              })
          .connect(port, "127.0.0.1", "/socket")
          .onFailure(open::completeExceptionally);
      assertThat(open.get(60, TimeUnit.SECONDS)).isTrue();
      io.kvreactive.web.Conditions.await(() -> connections.count() == 0);
    } finally {
      client.close();
    }
  }

  @Test
  void keepsHttp2Streams(Vertx vertx) throws Exception {
    var client =
        vertx.createHttpClient(
            new io.vertx.core.http.HttpClientOptions()
                .setProtocolVersion(HttpVersion.HTTP_2)
                .setHttp2ClearTextUpgrade(false),
            new PoolOptions());
    try {
      String all = null;
      while (all == null) {
        AtomicBoolean begun = new AtomicBoolean();
        try {
          all =
              get(
                  TestServer.onLoop(
                      vertx,
                      () ->
                          client
                              .request(HttpMethod.GET, port, "127.0.0.1", "/stream")
                              .compose(request -> request.send())
                              .compose(
                                  response -> {
                                    begun.set(true);
                                    return response.body();
                                  })
                              .map(body -> body.toString())));
        } catch (
            ExecutionException e) { // the client may be slower than the limit of idle connections
          assertThat(begun).as("an answer is not cut").isFalse();
        }
      }
      assertThat(all).startsWith("begin").endsWith("end\n");
      io.kvreactive.web.Conditions.await(() -> connections.count() == 0);
    } finally {
      client.close();
    }
  }
}
