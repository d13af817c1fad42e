package io.kvreactive.http.client;

import io.kvreactive.KvErrorCode;
import io.kvreactive.http.client.AttemptFailure.Kind;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketFrame;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One WebSocket and its streams. Confined to the event loop of the client. Messages are passed to
 * their streams as text, which the streams parse on the threads of their subscribers.
 */
final class StreamSocketClient {
  /** The server takes frames of 64 KiB; a character has at most 3 bytes, or a half of 4. */
  private static final int FRAME_CHARS = 20 << 10;

  private static final int TOKEN_EXPIRED = 4401;
  private static final int BAD_MESSAGE = 4400;

  private final StreamPool pool;
  private final Map<Long, RemoteStream<?>> streams = new HashMap<>();
  private final Map<Long, String> unsent = new LinkedHashMap<>(); // requests, until connected
  private int queries;
  private long lastId;
  private @Nullable WebSocket socket;
  private boolean lost;
  private String lastError = "";

  StreamSocketClient(StreamPool pool) {
    this.pool = pool;
  }

  int streams() {
    return streams.size();
  }

  int queries() {
    return queries;
  }

  void open(RemoteStream<?> stream, String request) {
    long id = ++lastId;
    streams.put(id, stream);
    queries += stream.isQuery() ? 1 : 0;
    if (socket == null) {
      unsent.put(id, request);
    } else {
      begin(id, request);
    }
  }

  private void begin(long id, String request) {
    RemoteStream<?> stream = streams.get(id);
    if (stream != null) {
      send("{\"id\":" + id + "," + request.substring(1));
      stream.opened(this, id); // after the message, because a stream that was cancelled sends that
    }
  }

  void connected(WebSocket opened) {
    if (lost) {
      var unused = opened.close();
      return;
    }
    socket = opened;
    opened.textMessageHandler(this::receive);
    opened.exceptionHandler(failure -> {}); // followed by the close
    opened.closeHandler(closed -> lost(reason(opened)));
    unsent.forEach(this::begin);
    unsent.clear();
  }

  private AttemptFailure reason(WebSocket closed) {
    Short code = closed.closeStatusCode();
    String why = closed.closeReason() == null ? "" : " " + closed.closeReason();
    if (code != null && code == TOKEN_EXPIRED) {
      return AttemptFailure.of(Kind.FINAL, KvErrorCode.UNAUTHENTICATED, "the token has expired");
    }
    if (code != null && code == BAD_MESSAGE) {
      return AttemptFailure.of(Kind.FINAL, KvErrorCode.UNSUPPORTED, lastError + why);
    }
    return AttemptFailure.of(
        Kind.UNKNOWN,
        KvErrorCode.UNAVAILABLE,
        "the WebSocket to %s was closed%s"
            .formatted(pool.server(), code == null ? "" : " with " + code + why));
  }

  /** Sends a message if the connection is open. */
  void send(String message) {
    WebSocket open = socket;
    if (open == null || lost) {
      return;
    }
    int from = 0;
    do {
      int to = Math.min(message.length(), from + FRAME_CHARS);
      if (to < message.length() && Character.isHighSurrogate(message.charAt(to - 1))) {
        to--;
      }
      boolean isLast = to == message.length();
      String part = message.substring(from, to);
      WebSocketFrame frame =
          from == 0
              ? WebSocketFrame.textFrame(part, isLast)
              : WebSocketFrame.continuationFrame(Buffer.buffer(part), isLast);
      open.writeFrame(frame).onFailure(failure -> {}); // followed by the close
      from = to;
    } while (from < message.length());
  }

  private void receive(String message) {
    long id = idOf(message);
    RemoteStream<?> stream = streams.get(id);
    if (stream != null) {
      stream.received(this, id, message);
    } else if (id < 0 && message.contains("\"error\"")) {
      lastError = message;
    }
  }

  /** Returns the id with which the messages of a stream begin, or -1 for others. */
  private static long idOf(String message) {
    String prefix = "{\"id\":";
    if (!message.startsWith(prefix)) {
      return -1;
    }
    long id = 0;
    for (int i = prefix.length(); i < message.length(); i++) {
      char c = message.charAt(i);
      if (c < '0' || c > '9') {
        return i > prefix.length() ? id : -1;
      }
      id = 10 * id + (c - '0');
    }
    return -1;
  }

  /** Forgets a stream. */
  void remove(long id, boolean cancel) {
    RemoteStream<?> removed = streams.remove(id);
    if (removed != null) {
      queries -= removed.isQuery() ? 1 : 0;
      if (cancel) {
        send("{\"op\":\"cancel\",\"id\":" + id + "}");
      }
    }
  }

  /** Ends all streams of this connection, which is lost. */
  void lost(AttemptFailure reason) {
    if (lost) {
      return;
    }
    lost = true;
    pool.remove(this);
    Map<Long, RemoteStream<?>> all = Map.copyOf(streams);
    streams.clear();
    all.forEach((id, stream) -> stream.lost(this, id, reason));
  }

  void close(AttemptFailure reason) {
    lost(reason);
    WebSocket open = socket;
    if (open != null) {
      var unused = open.close();
    }
  }
}
