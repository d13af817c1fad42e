package io.kvreactive.server.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.server.ExitCode;
import java.io.IOException;
import java.net.URI;
import java.net.http.WebSocket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A subscription over the WebSocket of a server, with credit. For one connection. */
final class RemoteSubscription implements WebSocket.Listener {
  private static final int ID = 1;

  private final RestClient http;
  private final int credit;
  private final BlockingQueue<Object> received = new LinkedBlockingQueue<>();
  private final StringBuilder text = new StringBuilder();

  /**
   * Creates a subscription.
   *
   * @param credit the maximum number of elements that the server sends ahead of the consumer
   */
  RemoteSubscription(RestClient http, int credit) {
    this.http = http;
    this.credit = credit;
  }

  /**
   * Passes the messages of a subscription to a consumer, without their id. Does not return
   * normally.
   *
   * @param request the first message, without id and credit
   */
  void follow(ObjectNode request, Consumer<ObjectNode> messages) {
    WebSocket socket = connect();
    try {
      send(socket, request.deepCopy().put("id", ID).put("credit", credit));
      while (true) {
        Object next = received.take();
        if (next instanceof CliException failure) {
          throw failure;
        }
        if (next instanceof ObjectNode message) {
          handle(socket, message, messages);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      socket.abort();
    }
  }

  private static void handle(WebSocket socket, ObjectNode message, Consumer<ObjectNode> messages) {
    switch (message.path("type").asText()) {
      case "state", "insert", "update", "remove" -> {
        messages.accept(message.without("id"));
        send(socket, CliJson.object().put("op", "credit").put("id", ID).put("n", 1));
      }
      case "listed" -> messages.accept(message.without("id")); // needs no credit
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
