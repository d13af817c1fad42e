package io.kvreactive.bench.web;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketClientOptions;
import io.vertx.core.http.WebSocketConnectOptions;

/** WebSocket clients. */
final class Streams {
  private Streams() {}

  static WebSocketClient client(Vertx vertx, int most) {
    return vertx.createWebSocketClient(
        new WebSocketClientOptions()
            .setMaxConnections(most)
            .setMaxMessageSize(8 << 20)
            .setMaxFrameSize(1 << 20)
            .setTryUsePerMessageCompression(false));
  }

  static Future<WebSocket> connect(WebSocketClient client, int port) {
    return client.connect(
        new WebSocketConnectOptions()
            .setHost("127.0.0.1")
            .setPort(port)
            .setURI("/api/v1/stream")
            .putHeader("Authorization", "Bearer " + StreamServerProcess.TOKEN));
  }
}
