package io.kvreactive.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.SocketException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sockets count towards the limits as soon as they are accepted, before any request. */
@ExtendWith(VertxExtension.class)
class SocketLimitsTest {
  @TempDir Path directory;
  private TestServer server;

  @BeforeEach
  void begin() {
    LogOf.begin();
  }

  @AfterEach
  void close() {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "GET /livez HT", "PRI * HTTP/2.0\r\n", "GET /livez HTTP/1.1\r\nA: "})
  void countsSocketsBeforeTheirFirstRequest(String begun, Vertx vertx) throws Exception {
    server =
        TestServer.start(
            vertx,
            ServerOptions.inMemory().withConnections(ConnectionOptions.DEFAULT.withMax(10, 3)));
    limitsSockets(begun);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\26\3\1\1\0\1\0"})
  void countsSocketsBeforeTheirHandshake(String begun, Vertx vertx) throws Exception {
    Certificates.Issued own = new Certificates(directory, "authority").issue("server");
    server =
        TestServer.start(
            vertx,
            ServerOptions.inMemory()
                .withTls(TlsOptions.of(own.certificate(), own.key()))
                .withConnections(ConnectionOptions.DEFAULT.withMax(10, 3)));
    limitsSockets(begun);
  }

  private void limitsSockets(String begun) throws Exception {
    try (HalfOpenSockets sockets = HalfOpenSockets.open(server.port(), 8, begun)) {
      Conditions.await(() -> sockets.alive() == 3);
      assertThat(LogOf.audit())
          .anyMatch(e -> e.contains("event=connection.refused") && e.contains("of the address"));
    }
    Conditions.await( // closed sockets are no longer counted
        () -> {
          try (HalfOpenSockets sockets = HalfOpenSockets.open(server.port(), 3, begun)) {
            return sockets.alive() == 3;
          }
        });
  }

  @Test
  void countsAllAddressesTogether(Vertx vertx) throws Exception {
    server =
        TestServer.start(
            vertx,
            ServerOptions.inMemory().withConnections(ConnectionOptions.DEFAULT.withMax(2, 100)));
    try (HalfOpenSockets sockets = HalfOpenSockets.open(server.port(), 5, "G")) {
      Conditions.await(() -> sockets.alive() == 2);
    }
    Conditions.await(
        () -> {
          try (RawConnection raw = new RawConnection(server.port())) {
            return raw.send("GET /livez HTTP/1.1", "Host: localhost", "")
                .readHead()
                .startsWith("HTTP/1.1 200");
          } catch (SocketException ended) {
            return false;
          }
        });
  }
}
