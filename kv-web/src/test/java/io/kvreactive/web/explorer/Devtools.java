package io.kvreactive.web.explorer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A connection to a browser by the DevTools protocol: commands and events. */
final class Devtools implements WebSocket.Listener, AutoCloseable {
  static final Duration TIMEOUT = Duration.ofSeconds(Integer.getInteger("explorer.timeout", 60));
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Map<Integer, CompletableFuture<JsonNode>> waiting = new ConcurrentHashMap<>();
  private final Map<String, Consumer<JsonNode>> listeners = new ConcurrentHashMap<>();
  private final AtomicInteger ids = new AtomicInteger();
  private final StringBuilder partial = new StringBuilder();
  private final WebSocket socket;
  private CompletableFuture<?> sent = CompletableFuture.completedFuture(null);

  private Devtools(URI address) {
    socket =
        HttpClient.newHttpClient()
            .newWebSocketBuilder()
            .connectTimeout(TIMEOUT)
            .buildAsync(address, this)
            .join();
  }

  static Devtools connect(URI address) {
    return new Devtools(address);
  }

  /**
   * Passes every event of a session to a listener, as {method, params, sessionId}. The listener
   * must not send commands.
   */
  void listen(String session, Consumer<JsonNode> listener) {
    listeners.put(session, listener);
  }

  /**
   * Sends a command and waits for its result.
   *
   * @param session the session of a page; empty for the browser
   * @param params the names and values, alternating
   */
  JsonNode send(String session, String method, Object... params) {
    ObjectNode command = JSON.createObjectNode();
    int id = ids.incrementAndGet();
    command.put("id", id).put("method", method);
    if (!session.isEmpty()) {
      command.put("sessionId", session);
    }
    ObjectNode named = command.putObject("params");
    for (int i = 0; i < params.length; i += 2) {
      named.set((String) params[i], JSON.valueToTree(params[i + 1]));
    }
    CompletableFuture<JsonNode> answer = new CompletableFuture<>();
    waiting.put(id, answer);
    String text = command.toString();
    synchronized (this) { // one message at a time
      sent = sent.thenCompose(done -> socket.sendText(text, true));
    }
    JsonNode result;
    try {
      result = answer.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (Exception e) {
      throw new AssertionError(method + " was not answered", e);
    }
    if (result.has("error")) {
      throw new DevtoolsException(method + ": " + result.get("error").path("message").asText());
    }
    return result.path("result");
  }

  @Override
  public CompletionStage<?> onText(WebSocket webSocket, CharSequence data, boolean last) {
    partial.append(data);
    if (last) {
      String text = partial.toString();
      partial.setLength(0);
      receive(text);
    }
    webSocket.request(1);
    return CompletableFuture.completedFuture(null);
  }

  private void receive(String text) {
    JsonNode message;
    try {
      message = JSON.readTree(text);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    if (message.has("id")) {
      CompletableFuture<JsonNode> answer = waiting.remove(message.get("id").asInt());
      if (answer != null) {
        answer.complete(message);
      }
    } else {
      listeners.getOrDefault(message.path("sessionId").asText(), event -> {}).accept(message);
    }
  }

  @Override
  public void close() {
    socket.abort();
  }

  /** A command that the browser rejected. */
  static final class DevtoolsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    DevtoolsException(String message) {
      super(message);
    }
  }
}
