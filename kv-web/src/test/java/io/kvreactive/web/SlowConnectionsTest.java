package io.kvreactive.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Connections that hold on and give nothing for it. */
class SlowConnectionsTest {
  private static final Duration SHORT = Duration.ofMillis(300);
  private static final Duration LONG = Duration.ofMinutes(5);
  private TestServer server;

  @AfterEach
  void close() {
    server.close();
  }

  private RawConnection connect(ConnectionOptions options) throws Exception {
    server = TestServer.start(ServerOptions.inMemory().withConnections(options));
    return new RawConnection(server.port());
  }

  private static ConnectionOptions headers() {
    return ConnectionOptions.DEFAULT.withTimeouts(SHORT, LONG).withIdle(LONG, LONG);
  }

  @Test
  void whoSaysNothingIsLetGo() throws Exception {
    try (RawConnection raw = connect(headers())) {
      assertThat(raw.readToEnd()).isEmpty();
    }
  }

  @Test
  void headersThatDrip() throws Exception {
    try (RawConnection raw = connect(headers())) {
      raw.send("GET /livez HTTP/1.1", "Host: localhost").drip('a', 20);
    }
  }

  @Test
  void aPrefaceOfHttp2ThatDrips() throws Exception {
    try (RawConnection raw = connect(headers())) {
      raw.bytes("PRI * HTTP/2.0".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
      assertThat(raw.readToEnd()).isEmpty();
    }
  }

  @Test
  void http2WithoutARequest() throws Exception {
    ConnectionOptions patient = // enough for the preface
        ConnectionOptions.DEFAULT.withTimeouts(Duration.ofSeconds(3), LONG).withIdle(LONG, LONG);
    try (RawConnection raw = connect(patient)) {
      raw.bytes(
          "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
              .getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));
      assertThat(raw.readToEnd()).as("settings and a farewell").isNotEmpty();
    }
  }

  @Test
  void theSecondRequestDrips() throws Exception {
    ConnectionOptions idle = ConnectionOptions.DEFAULT.withIdle(SHORT, LONG);
    try (RawConnection raw = connect(idle)) {
      raw.send("GET /livez HTTP/1.1", "Host: localhost", "");
      assertThat(raw.readHead()).startsWith("HTTP/1.1 200");
      raw.send("GET /livez HTTP/1.1", "Host: localhost").drip('a', 20);
    }
  }

  @Test
  void aBodyThatDrips() throws Exception {
    ConnectionOptions body = ConnectionOptions.DEFAULT.withTimeouts(LONG, SHORT);
    try (RawConnection raw = connect(body)) {
      raw.send(
              "POST /api/v1/tokens HTTP/1.1",
              "Host: localhost",
              "Authorization: Bearer " + TestServer.TOKEN,
              "Content-Length: 10000",
              "")
          .drip('a', 20);
    }
  }

  @Test
  void aConnectionWithNothingToDoIsLetGo() throws Exception {
    ConnectionOptions idle = ConnectionOptions.DEFAULT.withIdle(SHORT, LONG);
    try (RawConnection raw = connect(idle)) {
      raw.send("GET /livez HTTP/1.1", "Host: localhost", "");
      assertThat(raw.readToEnd()).startsWith("HTTP/1.1 200").endsWith("ok\n");
    }
  }
}
