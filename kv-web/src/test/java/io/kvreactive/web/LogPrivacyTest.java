package io.kvreactive.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.web.internal.auth.AccessRight;
import io.kvreactive.web.internal.auth.TokenFile;
import io.kvreactive.web.internal.auth.TokenScope;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The logs of a server: no keys, ids of items, query strings, prefixes or tokens in any entry. */
@ExtendWith(VertxExtension.class)
class LogPrivacyTest {
  private static final String MARK = "alice";

  @TempDir Path directory;
  private TestServer server;
  private String reader;

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    LogOf.begin();
    TokenFile tokens = new TokenFile(directory.resolve(ServerOptions.TOKENS_FILE));
    reader =
        tokens
            .create(
                "reader",
                new TokenScope(Set.of(AccessRight.READ), List.of(), Set.of("default"), null))
            .secret();
    ServerOptions options = ServerOptions.at(directory);
    server =
        TestServer.start(vertx, options.withOperations(options.operations().withAccessLog(true)));
  }

  @AfterEach
  void close() {
    server.close();
  }

  private int ask(String method, String path, String body, String token) throws Exception {
    return server
        .send(
            method,
            path,
            body,
            request ->
                request
                    .setHeader("Authorization", "Bearer " + token)
                    .setHeader("Content-Type", "application/json"))
        .statusCode();
  }

  private static List<String> audit(String event) {
    return LogOf.audit().filter(entry -> entry.contains("event=" + event)).toList();
  }

  @Test
  void logsRefusalsWithTheRouteInsteadOfThePath() throws Exception {
    String item = "/api/v1/collections/t/items/alice%40example.com";
    assertThat(ask("GET", item, "", "guess-alice")).isEqualTo(401);
    assertThat(ask("PUT", item, "{}", reader)).isEqualTo(403);
    assertThat(ask("GET", "/db/alice" + item, "", reader)).isEqualTo(403);
    assertThat(ask("GET", "/alice", "", "guess-alice")).isEqualTo(401);
    assertThat(audit("authentication.failed"))
        .anyMatch(it -> it.contains("route=/api/v1/collections/:collection/items/:id"))
        .anyMatch(it -> it.contains("route=-"));
    assertThat(audit("access.refused"))
        .anyMatch(it -> it.contains("route=/api/v1/collections/:collection/items/:id"))
        .anyMatch(
            it -> it.contains("route=/db/:database/api/v1/collections/:collection/items/:id"));
    logsNothingSentByCallers();
  }

  @Test
  void logsNothingOfTheQueryString() throws Exception {
    String key = "/api/v1/entry?key=%5B%22alice%22%5D&token=alice";
    assertThat(ask("GET", key, "", "guess-alice")).isEqualTo(401);
    assertThat(ask("GET", key, "", TestServer.TOKEN)).isEqualTo(400);
    assertThat(ask("PUT", "/api/v1/entry?key=%5B%22alice%22%5D", "1", reader)).isEqualTo(403);
    assertThat(ask("PUT", "/api/v1/entry?key=%5B%22alice%22%5D", "1", TestServer.TOKEN))
        .isEqualTo(200);
    assertThat(ask("GET", "/api/v1/entries?prefix=%5B%22alice%22%5D", "", TestServer.TOKEN))
        .isEqualTo(200);
    assertThat(ask("GET", "/nowhere/alice?alice", "", TestServer.TOKEN)).isEqualTo(404);
    logsNothingSentByCallers();
  }

  @Test
  void logsNoTokensOfWebSockets() throws Exception {
    try {
      HttpClient.newHttpClient()
          .newWebSocketBuilder()
          .subprotocols("kv.v1", "bearer.alice-is-the-token")
          .buildAsync(
              URI.create(server.uri("/api/v1/stream").toString().replace("http:", "ws:")),
              new java.net.http.WebSocket.Listener() {})
          .join();
    } catch (CompletionException refused) {
      assertThat(refused.getCause()).isInstanceOf(java.net.http.WebSocketHandshakeException.class);
    }
    assertThat(audit("authentication.failed")).anyMatch(it -> it.contains("route=/api/v1/stream"));
    logsNothingSentByCallers();
  }

  @Test
  void logsNoPrefixesOfTokens() throws Exception {
    String token = "{\"name\":\"t\",\"access\":[\"READ\"],\"prefixes\":[[\"alice\"]]}";
    assertThat(ask("POST", "/api/v1/tokens", token, TestServer.TOKEN)).isEqualTo(201);
    assertThat(audit("token.created")).anyMatch(it -> it.contains("prefixes=1"));
    logsNothingSentByCallers();
  }

  @Test
  void logsServerErrorsWithTheRoute() throws Exception {
    Path bad = Files.createDirectories(directory.resolve("databases/bad"));
    Files.writeString(bad.resolve("store"), "something else");
    Files.write(bad.resolve("image.db"), new byte[100]);
    String item = "/db/bad/api/v1/collections/t/items/alice%40example.com";
    assertThat(ask("GET", item, "", TestServer.TOKEN)).isEqualTo(500);
    assertThat(LogOf.errors())
        .anyMatch(it -> it.contains("/db/:database/api/v1/collections/:collection/items/:id"));
    logsNothingSentByCallers();
  }

  private static void logsNothingSentByCallers() {
    assertThat(LogOf.all()).isNotEmpty().noneMatch(entry -> entry.contains(MARK));
  }
}
