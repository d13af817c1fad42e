package io.kvreactive.server.client;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvKey;
import io.kvreactive.json.KvJson;
import io.kvreactive.server.ExitCode;
import java.io.IOException;
import java.net.URI;
import java.net.http.WebSocket;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A watch of keys over the WebSocket of a server, with credit for one state at a time. For one
 * connection.
 */
final class WatchSocket implements WebSocket.Listener {
  private static final int ID = 1;

  private final RestClient http;
  private final BlockingQueue<Object> received = new LinkedBlockingQueue<>();
  private final StringBuilder text = new StringBuilder();

  WatchSocket(RestClient http) {
    this.http = http;
  }

  void watch(List<KvKey> keys, Consumer<ObjectNode> states) {
    WebSocket socket = connect();
    try {
      ObjectNode watch = CliJson.object().put("op", "watch").put("id", ID).put("credit", 1);
      ArrayNode requested = watch.putArray("keys");
      keys.forEach(key -> requested.add(KvJson.toJson(key)));
      send(socket, watch);
      while (true) {
        Object next = received.take();
        if (next instanceof CliException failure) {
          throw failure;
        }
        if (next instanceof ObjectNode message) {
          handle(socket, message, states);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      socket.abort();
    }
  }

  private static void handle(WebSocket socket, ObjectNode message, Consumer<ObjectNode> states) {
    switch (message.path("type").asText()) {
      case "state" -> {
        states.accept(message.without(List.of("id", "type")));
        send(socket, CliJson.object().put("op", "credit").put("id", ID).put("n", 1));
      }
      case "error" ->
          throw CliException.of(message.path("code").asText(), message.path("detail").asText());
      case "end", "goingAway" ->
          throw new CliException(ExitCode.UNREACHABLE, "the server ended the stream");
      default -> {} // a frame of a later version
    }
  }

  private WebSocket connect() {
    String url = http.base().toString().replaceFirst("^http", "ws") + "/api/v1/stream";
    WebSocket.Builder builder =
        http.client().newWebSocketBuilder().connectTimeout(http.timeout()).subprotocols("kv.v1");
    if (http.token() != null) {
      builder.header("Authorization", "Bearer " + http.token());
    }
    try {
      return builder.buildAsync(URI.create(url), this).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof java.net.http.WebSocketHandshakeException refused) {
        int status = refused.getResponse().statusCode();
        throw new CliException(exit(status), "the server answered with status " + status);
      }
      throw e.getCause() instanceof IOException lost
          ? http.lost(lost)
          : new CliException(ExitCode.FAILED, String.valueOf(e.getCause()));
    }
  }

  /**
   * Returns the exit code for the status of a failed handshake. The JDK does not expose the body
   * with the code.
   */
  private static int exit(int status) {
    return switch (status) {
      case 401, 403 -> ExitCode.REFUSED;
      case 400, 404 -> ExitCode.USAGE;
      case 503 -> ExitCode.UNREACHABLE; // the server is starting or stopping
      default -> ExitCode.FAILED;
    };
  }

  private static void send(WebSocket socket, ObjectNode message) {
    try {
      socket.sendText(CliJson.print(message), true).join();
    } catch (CompletionException e) {
      throw new CliException(ExitCode.UNREACHABLE, "connection lost: " + e.getCause());
    }
  }

  @Override
  public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence part, boolean last) {
    text.append(part);
    if (last) {
      try {
        received.add(CliJson.sent(text.toString()));
      } catch (CliException e) {
        received.add(e);
      }
      text.setLength(0);
    }
    socket.request(1);
    return null;
  }

  @Override
  public @Nullable CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
    received.add(
        new CliException(
            status == 4401 ? ExitCode.REFUSED : ExitCode.UNREACHABLE,
            "the server closed the connection (" + status + " " + reason + ")"));
    return null;
  }

  @Override
  public void onError(WebSocket socket, Throwable failure) {
    received.add(
        new CliException(ExitCode.UNREACHABLE, "connection lost: " + failure.getMessage()));
  }
}
