package io.kvreactive.web.internal.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.web.Conditions;
import io.kvreactive.web.internal.rest.SlowClient;
import io.kvreactive.web.internal.rest.TestServerContext;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The requests that a stopping server waits for. */
@ExtendWith(VertxExtension.class)
class UnderWayTest {
  private final TestServerContext site;

  UnderWayTest(Vertx vertx) throws Exception {
    site = new TestServerContext(vertx);
  }

  @AfterEach
  void close() {
    site.close();
  }

  @Test
  void countsAFakeWebSocketRequest() throws Exception {
    try (SlowClient caller = new SlowClient(site.uri())) {
      caller.send(
          "GET /api/v1/changes?waitMs=60000 HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n\r\n");
      Conditions.await(() -> site.lifecycle.underWay() == 1);
    }
    Conditions.await(() -> site.lifecycle.underWay() == 0);
  }

  @Test
  void endsARefusedHandshake() throws Exception {
    try (SlowClient caller = new SlowClient(site.uri())) {
      caller.send(
          "GET /api/v1/stream HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n"
              + "Sec-WebSocket-Protocol: other\r\nConnection: close\r\n\r\n");
      assertThat(caller.in().read()).isEqualTo('H');
      Conditions.await(() -> site.lifecycle.underWay() == 0);
    }
  }
}
