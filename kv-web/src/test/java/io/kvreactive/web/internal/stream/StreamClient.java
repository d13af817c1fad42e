package io.kvreactive.web.internal.stream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvreactive.web.TestServer;
import io.vertx.core.Vertx;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketClientOptions;
import io.vertx.core.http.WebSocketConnectOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A client that records the messages of the server. */
final class StreamClient implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final WebSocketClient client;
  private final WebSocket ws;
  private final BlockingQueue<JsonNode> frames = new LinkedBlockingQueue<>();
  private final CompletableFuture<Integer> closed = new CompletableFuture<>();

  private StreamClient(WebSocketClient client, WebSocket ws) {
    this.client = client;
    this.ws = ws;
    ws.textMessageHandler(text -> frames.add(parse(text)));
    ws.closeHandler(gone -> closed.complete((int) ws.closeStatusCode()));
  }

  static StreamClient connect(Vertx vertx, int port, @Nullable List<String> subprotocols) {
    return connect(vertx, port, "/api/v1/stream", subprotocols);
  }

  static StreamClient connect(
      Vertx vertx, int port, String path, @Nullable List<String> subprotocols) {
    WebSocketClient client =
        vertx.createWebSocketClient(
            new WebSocketClientOptions()
                .setMaxMessageSize(8 << 20)
                .setMaxConnections(1)
                .setTryUsePerMessageCompression(false));
    WebSocketConnectOptions options =
        new WebSocketConnectOptions().setHost("127.0.0.1").setPort(port).setURI(path);
    if (subprotocols != null) {
      options.setSubProtocols(subprotocols);
    }
    return StreamServer.await(
        TestServer.onLoop(
            vertx, () -> client.connect(options).map(ws -> new StreamClient(client, ws))));
  }

  private static JsonNode parse(String text) {
    try {
      return JSON.readTree(text);
    } catch (Exception e) {
      throw new AssertionError(text, e);
    }
  }

  WebSocket ws() {
    return ws;
  }

  /** Sends JSON with single quotes for double ones. */
  StreamClient say(String json) {
    StreamServer.await(ws.writeTextMessage(json.replace('\'', '"')));
    return this;
  }

  /** Sends JSON unchanged. */
  StreamClient sayRaw(String json) {
    StreamServer.await(ws.writeTextMessage(json));
    return this;
  }

  /** The next frame. */
  JsonNode next() {
    try {
      JsonNode frame = frames.poll(StreamServer.TIMEOUT.toSeconds(), TimeUnit.SECONDS);
      if (frame == null) {
        throw new AssertionError("nothing was said");
      }
      return frame;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns the next frame, which must have the given type. */
  JsonNode next(String type) {
    JsonNode frame = next();
    if (!frame.path("type").asText().equals(type)) {
      throw new AssertionError("expected " + type + ": " + frame);
    }
    return frame;
  }

  /** Returns the messages before the answer to a ping, which follows all sendable messages. */
  List<JsonNode> untilPong() {
    say("{'op':'ping'}");
    List<JsonNode> before = new ArrayList<>();
    for (JsonNode frame = next(); !frame.path("type").asText().equals("pong"); frame = next()) {
      before.add(frame);
    }
    return before;
  }

  /** Returns the frames up to and including one of the given type. No other may be an error. */
  List<JsonNode> until(String type) {
    List<JsonNode> all = new ArrayList<>();
    while (true) {
      JsonNode frame = next();
      all.add(frame);
      String found = frame.path("type").asText();
      if (found.equals(type)) {
        return all;
      } else if (found.equals("error")) {
        throw new AssertionError("expected " + type + ": " + frame);
      }
    }
  }

  int closeCode() {
    try {
      return closed.get(StreamServer.TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError("not closed", e);
    }
  }

  boolean isClosed() {
    return closed.isDone();
  }

  @Override
  public void close() {
    client.close();
  }
}
