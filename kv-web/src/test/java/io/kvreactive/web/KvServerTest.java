package io.kvreactive.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
@ExtendWith(NonBlockingThreads.class)
class KvServerTest {
  private TestServer server;

  @BeforeEach
  void start(Vertx vertx) {
    server = TestServer.start(vertx);
  }

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void reportsReadiness() throws Exception {
    assertThat(server.get("/livez").statusCode()).isEqualTo(200);
    assertThat(server.get("/readyz").statusCode()).isEqualTo(200);
  }

  @Test
  void answersUnknownPathsWithAProblemAndItsCode() throws Exception {
    HttpResponse<String> response =
        server.send("GET", "/nowhere", "", request -> request.header("X-Request-Id", "req-1"));
    assertThat(response.statusCode()).isEqualTo(404);
    assertThat(response.headers().firstValue("Content-Type")).contains("application/problem+json");
    JsonNode problem = new ObjectMapper().readTree(response.body());
    assertThat(problem.get("code").asText()).isEqualTo("NOT_FOUND");
    assertThat(problem.get("requestId").asText()).isEqualTo("req-1");
  }

  @Test
  void startsTwoServersOnTwoPorts(Vertx vertx) {
    try (TestServer other = TestServer.start(vertx)) {
      assertThat(other.port()).isNotEqualTo(server.port());
    }
  }

  @Test
  void requiresATokenOrATokenFile(Vertx vertx) {
    for (String token : new String[] {null, "", "a b"}) {
      ServerOptions options = ServerOptions.inMemory().withAddress("127.0.0.1", 0).withToken(token);
      assertThatThrownBy(() -> KvServer.start(vertx, options).block(TestServer.TIMEOUT))
          .isInstanceOfSatisfying(
              KvException.class,
              failed -> assertThat(failed.code()).isEqualTo(KvErrorCode.INVALID_ARGUMENT));
    }
  }

  @Test
  void rejectsRequestsWithoutToken() throws Exception {
    HttpResponse<String> response =
        server.send(
            "GET", "/nowhere", "", request -> request.setHeader("Authorization", "Bearer wrong"));
    assertThat(response.statusCode()).isEqualTo(401);
    assertThat(response.headers().firstValue("WWW-Authenticate")).contains("Bearer");
  }

  @Test
  void validatesDatabaseNames() throws Exception {
    assertThat(server.get("/db/Not%20a%20name/nowhere").body()).contains("expected: up to 63");
  }
}
