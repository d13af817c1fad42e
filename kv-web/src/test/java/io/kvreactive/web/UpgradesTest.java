package io.kvreactive.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.junit5.VertxExtension;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Differences between protocols: upgrades, and answers to HEAD. */
@ExtendWith(VertxExtension.class)
class UpgradesTest {
  private static TestServer server;
  private static Vertx vertx;

  @BeforeAll
  static void start(Vertx vertx) {
    UpgradesTest.vertx = vertx;
    server = TestServer.start(vertx);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @BeforeEach
  void begin() {
    LogOf.begin();
  }

  /**
   * Java's own client requests an upgrade with its first request. A proxy would not see later
   * requests inside an upgraded connection.
   */
  @ParameterizedTest
  @ValueSource(strings = {"GET /api/v1/info", "POST /api/v1/entries/get"})
  void answersAnUpgradeToHttp2OverHttp1(String line) throws Exception {
    String[] asked = line.split(" ", 2);
    HttpResponse<String> answer =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(server.uri(asked[1]))
                    .timeout(TestServer.TIMEOUT)
                    .header("Authorization", "Bearer " + TestServer.TOKEN)
                    .header("Content-Type", "application/json")
                    .method(
                        asked[0],
                        asked[0].equals("GET")
                            ? HttpRequest.BodyPublishers.noBody()
                            : HttpRequest.BodyPublishers.ofString("{\"keys\":[[\"a\"]]}"))
                    .build(),
                HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_1_1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Connection: Upgrade|Sec-WebSocket-Version: 13",
        "Connection: Upgrade|Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Connection: Upgrade|Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==|Sec-WebSocket-Version: 99",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==|Sec-WebSocket-Version: 13",
      })
  void answersMalformedHandshakesAsClientErrors(String headers) throws Exception {
    try (RawConnection raw = new RawConnection(server.port())) {
      raw.send("GET /api/v1/stream HTTP/1.1", "Host: localhost", "Upgrade: websocket");
      raw.send(headers.split("\\|", -1));
      String answer = raw.send("Authorization: Bearer " + TestServer.TOKEN, "").readHead();
      assertThat(answer).startsWith("HTTP/1.1 4");
    }
    assertThat(LogOf.errors()).isEmpty();
  }

  /** Returns the status, the declared length and the body. */
  private static List<String> head(String path, String accept) throws Exception {
    var client =
        vertx.createHttpClient(
            new HttpClientOptions()
                .setProtocolVersion(HttpVersion.HTTP_2)
                .setHttp2ClearTextUpgrade(false));
    try {
      return TestServer.onLoop(
              vertx,
              () ->
                  client
                      .request(HttpMethod.HEAD, server.port(), "127.0.0.1", path)
                      .compose(
                          request ->
                              request
                                  .putHeader("authorization", "Bearer " + TestServer.TOKEN)
                                  .putHeader("accept", accept)
                                  .send())
                      .compose(answer -> answer.body().map(body -> summary(answer, body))))
          .toCompletionStage()
          .toCompletableFuture()
          .get(60, TimeUnit.SECONDS);
    } finally {
      client.close();
    }
  }

  private static List<String> summary(HttpClientResponse answer, Buffer body) {
    return List.of(
        String.valueOf(answer.statusCode()),
        String.valueOf(answer.getHeader("content-length")),
        body.toString());
  }

  /** Clients of HTTP/2 treat a body here as a connection error. */
  @ParameterizedTest
  @CsvSource({
    "/api/v1/info, 200",
    "/api/v1/entries, 200",
    "/api/v1/tokens, 501",
    "/api/v1/entry?key=%5B%22none%22%5D, 404",
    "/nowhere, 404",
    "/openapi.json, 200",
    "/livez, 200",
    "/readyz, 200",
    "/, 200"
  })
  void answersHeadWithoutBodyOverHttp2(String path, String status) throws Exception {
    List<String> answer = head(path, "*/*");
    assertThat(answer).startsWith(status).endsWith("");
    assertThat(answer.get(1)).matches("[1-9][0-9]*");
  }

  @Test
  void answersHeadForStreams() throws Exception {
    for (int i = 0; i < 3; i++) {
      server.send("PUT", "/api/v1/entry?key=%5B" + i + "%5D", "1", UpgradesTest::json);
    }
    assertThat(head("/api/v1/entries", "application/x-ndjson")).startsWith("200").endsWith("");
  }

  private static HttpRequest.Builder json(HttpRequest.Builder request) {
    return request.header("Content-Type", "application/json");
  }
}
