package io.kvreactive.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Connections that stay open without complete requests. */
@ExtendWith(VertxExtension.class)
class SlowConnectionsTest {
  private static final Duration SHORT = Duration.ofMillis(300);
  private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0";
  private static final Duration LONG = Duration.ofMinutes(5);
  private TestServer server;
  private Vertx vertx;

  @BeforeEach
  void use(Vertx vertx) {
    this.vertx = vertx;
  }

  @AfterEach
  void close() {
    server.close();
  }

  private RawConnection connect(ConnectionOptions options) throws Exception {
    server = TestServer.start(vertx, ServerOptions.inMemory().withConnections(options));
    return new RawConnection(server.port());
  }

  private static ConnectionOptions headers() {
    return ConnectionOptions.DEFAULT.withTimeouts(SHORT, LONG).withIdle(LONG, LONG);
  }

  @Test
  void closesSilentConnections() throws Exception {
    try (RawConnection raw = connect(headers())) {
      assertThat(raw.readToEnd()).isEmpty();
    }
  }

  @Test
  void closesConnectionsWithSlowHeaders() throws Exception {
    try (RawConnection raw = connect(headers())) {
      raw.drip("GET /livez HTTP/1.1", "Host: localhost");
    }
  }

  @Test
  void closesConnectionsWithASlowHttp2Preface() throws Exception {
    try (RawConnection raw = connect(headers())) {
      raw.bytes("PRI * HTTP/2.0".getBytes(StandardCharsets.US_ASCII));
      assertThat(raw.readToEnd()).isEmpty();
    }
  }

  @Test
  void closesHttp2ConnectionsWithoutARequest() throws Exception {
    Duration time = Duration.ofSeconds(1); // usually enough for the preface
    server =
        TestServer.start(
            vertx,
            ServerOptions.inMemory()
                .withConnections(
                    ConnectionOptions.DEFAULT.withTimeouts(time, LONG).withIdle(LONG, LONG)));
    String answer;
    long began;
    long sent;
    do { // a connection with a late preface is closed without an answer
      began = System.nanoTime();
      try (RawConnection raw = new RawConnection(server.port())) {
        raw.bytes(PREFACE.getBytes(StandardCharsets.ISO_8859_1));
        sent = System.nanoTime();
        answer = raw.readToEnd();
      }
    } while (answer.isEmpty() && sent - began > time.toNanos());
    assertThat(answer).as("settings and a farewell").isNotEmpty();
  }

  @Test
  void closesConnectionsWithASlowSecondRequest() throws Exception {
    ConnectionOptions idle = ConnectionOptions.DEFAULT.withIdle(SHORT, LONG);
    try (RawConnection raw = connect(idle)) {
      raw.send("GET /livez HTTP/1.1", "Host: localhost", "");
      assertThat(raw.readHead()).startsWith("HTTP/1.1 200");
      raw.drip("GET /livez HTTP/1.1", "Host: localhost");
    }
  }

  @Test
  void closesConnectionsWithASlowBody() throws Exception {
    ConnectionOptions body = ConnectionOptions.DEFAULT.withTimeouts(LONG, SHORT);
    try (RawConnection raw = connect(body)) {
      raw.drip(
          "POST /api/v1/tokens HTTP/1.1",
          "Host: localhost",
          "Content-Type: application/json",
          "Authorization: Bearer " + TestServer.TOKEN,
          "Content-Length: 10000",
          "");
    }
  }

  @Test
  void limitsReadingTheRestOfARefusedChunkedBody() throws Exception {
    ConnectionOptions idle = ConnectionOptions.DEFAULT.withIdle(SHORT, LONG);
    try (RawConnection raw = connect(idle)) {
      raw.drip(
          "POST /nowhere HTTP/1.1", "Host: localhost", "Transfer-Encoding: chunked", "", "fffff");
    }
  }

  @Test
  void closesIdleConnections() throws Exception {
    ConnectionOptions idle = ConnectionOptions.DEFAULT.withIdle(SHORT, LONG);
    try (RawConnection raw = connect(idle)) {
      raw.send("GET /livez HTTP/1.1", "Host: localhost", "");
      assertThat(raw.readToEnd()).startsWith("HTTP/1.1 200").endsWith("ok\n");
    }
  }
}
