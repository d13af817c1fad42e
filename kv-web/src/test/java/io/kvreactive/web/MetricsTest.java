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

/** Metrics: without a token only for callers on the same machine, and the number of requests. */
@ExtendWith(VertxExtension.class)
class MetricsTest {
  private static final int CANCEL = 8; // RFC 9113, 7

  private KvServer server;

  /** Listens on all addresses, where other routes do not check the host name. */
  @BeforeEach
  void start(Vertx vertx) {
    server =
        KvServer.start(
                vertx,
                ServerOptions.inMemory()
                    .withAddress("0.0.0.0", 0)
                    .withToken(TestServer.TOKEN)
                    .withSecurity(SecurityOptions.DEFAULT.withAllowedHosts(Set.of("kv.local")))
                    .withOperations(OperationsOptions.DEFAULT.withMetrics(TestServer.metrics())))
            .block(TestServer.TIMEOUT);
  }

  @AfterEach
  void close() {
    server.close().block(TestServer.TIMEOUT);
  }

  private String ask(String version, String... headers) throws Exception {
    try (RawConnection raw = new RawConnection(server.uri().getPort())) {
      return raw.send("GET /metrics " + version)
          .send(headers)
          .send("Connection: close", "")
          .readToEnd();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost", "127.0.0.1:4512", "[::1]", "kv.local"})
  void acceptsLocalCallersUnderNamesOfThisMachine(String host) throws Exception {
    assertThat(ask("HTTP/1.1", "Host: " + host)).startsWith("HTTP/1.1 200");
  }

  @ParameterizedTest
  @ValueSource(strings = {"evil.example", "evil.example:4512", "127.0.0.1.evil.example"})
  void requiresATokenUnderReboundNames(String host) throws Exception {
    assertThat(ask("HTTP/1.1", "Host: " + host)).startsWith("HTTP/1.1 401");
    assertThat(ask("HTTP/1.1", "Host: " + host, "Authorization: Bearer " + TestServer.TOKEN))
        .startsWith("HTTP/1.1 200");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Forwarded: for=192.0.2.1",
        "X-Forwarded-For: 192.0.2.1",
        "X-Forwarded-Proto: https",
        "X-Real-IP: 192.0.2.1",
        "Via: 1.1 proxy"
      })
  void requiresATokenBehindProxies(String header) throws Exception {
    assertThat(ask("HTTP/1.1", "Host: localhost", header)).startsWith("HTTP/1.1 401");
  }

  /** nginx sends the name of the upstream and no address of the caller by default. */
  @Test
  void requiresATokenForHttp10() throws Exception {
    assertThat(ask("HTTP/1.0", "Host: localhost")).contains(" 401 ");
  }

  @Test
  void countsNoFeedThatWasReset() throws Exception {
    int feeds = 20;
    try (Http2Peer peer = new Http2Peer(server.uri().getPort()).patience(TestServer.TIMEOUT)) {
      peer.acknowledge();
      for (int i = 0; i < feeds; i++) {
        peer.request(
            2 * i + 1,
            true,
            "GET",
            "/api/v1/changes",
            "authorization",
            "Bearer " + TestServer.TOKEN,
            "accept",
            "text/event-stream");
      }
      peer.flush();
      Conditions.await(() -> underWay() == feeds);
      for (int i = 0; i < feeds; i++) {
        peer.reset(2 * i + 1, CANCEL);
      }
      peer.flush();
      Conditions.await(() -> underWay() == 0);
    }
  }

  @Test
  void countsNoRequestThatWasAnsweredBeforeItsBody() throws Exception {
    try (Http2Peer peer = new Http2Peer(server.uri().getPort()).patience(TestServer.TIMEOUT)) {
      peer.acknowledge()
          .request(1, false, "POST", "/api/v1/atomic", "content-length", "1000")
          .flush()
          .next(Http2Peer.HEADERS); // 401
    }
    Conditions.await(() -> underWay() == 0);
  }

  private double underWay() throws Exception {
    return ask("HTTP/1.1", "Host: localhost")
        .lines()
        .filter(line -> line.startsWith("kv_requests_under_way "))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' '))))
        .findAny()
        .orElseThrow();
  }
}
