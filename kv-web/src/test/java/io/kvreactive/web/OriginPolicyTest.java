package io.kvreactive.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Web pages of other origins, and host names that resolve to this machine. */
@ExtendWith(VertxExtension.class)
class OriginPolicyTest {
  private TestServer server;

  @BeforeEach
  void start(Vertx vertx) {
    LogOf.begin();
    server =
        TestServer.start(
            vertx,
            ServerOptions.inMemory()
                .withSecurity(
                    SecurityOptions.DEFAULT
                        .withAllowedOrigins(Set.of("https://app.example.com"))
                        .withAllowedHosts(Set.of("kv.local"))));
  }

  @AfterEach
  void close() {
    server.close();
  }

  private String ask(String line, String... headers) throws Exception {
    try (RawConnection raw = new RawConnection(server.port())) {
      raw.send(line + " HTTP/1.1");
      for (String header : headers) {
        raw.send(header);
      }
      return raw.send("Authorization: Bearer " + TestServer.TOKEN, "Connection: close", "")
          .readToEnd();
    }
  }

  private String here() {
    return "Host: 127.0.0.1:" + server.port();
  }

  @Test
  void acceptsRequestsFromAllowedOrigins() throws Exception {
    String answer = ask("GET /nowhere", here(), "Origin: https://app.example.com");
    assertThat(answer).startsWith("HTTP/1.1 404");
    assertThat(answer.toLowerCase())
        .contains("access-control-allow-origin: https://app.example.com")
        .containsPattern("access-control-expose-headers: .*x-kv-versionstamp")
        .containsPattern("access-control-expose-headers: .*etag")
        .containsPattern("access-control-expose-headers: .*x-request-id")
        .contains("vary: origin")
        .doesNotContain("allow-credentials");
  }

  @Test
  void answersPreflightsWithoutToken() throws Exception {
    try (RawConnection raw = new RawConnection(server.port())) {
      String answer =
          raw.send(
                  "OPTIONS /api/v1/entry HTTP/1.1",
                  here(),
                  "Origin: https://app.example.com",
                  "Access-Control-Request-Method: PUT",
                  "Access-Control-Request-Headers: authorization,if-match",
                  "Connection: close",
                  "")
              .readToEnd();
      assertThat(answer).startsWith("HTTP/1.1 204");
      assertThat(answer.toLowerCase())
          .containsPattern("access-control-allow-methods: .*put")
          .containsPattern("access-control-allow-headers: .*if-match");
    }
  }

  /** Methods and headers that a page needs for items of collections. */
  @Test
  void allowsPatchFromAllowedOrigins() throws Exception {
    try (RawConnection raw = new RawConnection(server.port())) {
      String answer =
          raw.send(
                  "OPTIONS /api/v1/collections/c/items/i HTTP/1.1",
                  here(),
                  "Origin: https://app.example.com",
                  "Access-Control-Request-Method: PATCH",
                  "Access-Control-Request-Headers: authorization,x-kv-indexing-directive",
                  "Connection: close",
                  "")
              .readToEnd();
      assertThat(answer).startsWith("HTTP/1.1 204");
      assertThat(answer.toLowerCase())
          .containsPattern("access-control-allow-methods: .*patch")
          .containsPattern("access-control-allow-headers: .*x-kv-indexing-directive");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://evil.example.com",
        "http://app.example.com",
        "https://app.example.com.evil.com",
        "https://app.example.com:8443",
        "https://127.0.0.1",
        "http://127.0.0.1",
        "http://127.0.0.1:1",
        "null",
        "*",
        "file://",
        "http://[",
      })
  void rejectsRequestsFromOtherOrigins(String origin) throws Exception {
    for (String line : new String[] {"GET /nowhere", "GET /livez", "OPTIONS /api/v1/entry"}) {
      String answer = ask(line, here(), "Origin: " + origin, "Access-Control-Request-Method: PUT");
      assertThat(answer).startsWith("HTTP/1.1 403").contains("\"FORBIDDEN\"");
      assertThat(answer.toLowerCase()).doesNotContain("access-control-allow");
    }
    assertThat(LogOf.audit())
        .filteredOn(entry -> entry.contains("event=origin.refused"))
        .filteredOn(entry -> entry.endsWith(" origin=" + origin))
        .as("one for each request")
        .hasSize(3);
  }

  @Test
  void rejectsWebSocketsFromOtherOrigins() throws Exception {
    String answer =
        ask(
            "GET /api/v1/stream",
            here(),
            "Origin: https://evil.example.com",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Protocol: kv.v1, bearer." + TestServer.TOKEN);
    assertThat(answer).startsWith("HTTP/1.1 403");
  }

  @Test
  void acceptsRequestsOfItsOwnPagesUnderAnyName() throws Exception {
    String port = ":" + server.port();
    assertThat(ask("GET /nowhere", here(), "Origin: http://127.0.0.1" + port))
        .startsWith("HTTP/1.1 404");
    assertThat(ask("GET /nowhere", "Host: localhost" + port, "Origin: http://LOCALHOST" + port))
        .startsWith("HTTP/1.1 404");
    assertThat(ask("GET /nowhere", "Host: kv.local", "Origin: https://kv.local"))
        .as("behind a proxy with TLS")
        .startsWith("HTTP/1.1 404");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "evil.example.com",
        "localhost.evil.com",
        "127.0.0.1.evil.com",
        "a b",
        "kv.local@evil.com"
      })
  void rejectsRequestsUnderReboundNames(String host) throws Exception {
    String answer = ask("GET /livez", "Host: " + host + ":" + server.port());
    assertThat(answer).matches("(?s)HTTP/1.1 40[03] .*");
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost", "LOCALHOST:80", "127.0.0.1", "[::1]:4512", "kv.local"})
  void acceptsRequestsUnderNamesOfTheServer(String host) throws Exception {
    assertThat(ask("GET /livez", "Host: " + host)).startsWith("HTTP/1.1 200");
  }

  @Test
  void acceptsOnlyTheSameOriginByDefault(Vertx vertx) throws Exception {
    server.close();
    server = TestServer.start(vertx);
    String answer = ask("GET /livez", here(), "Origin: https://app.example.com");
    assertThat(answer).startsWith("HTTP/1.1 403");
  }
}
