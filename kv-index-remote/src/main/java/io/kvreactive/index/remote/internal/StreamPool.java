package io.kvreactive.index.remote.internal;

import io.kvreactive.KvErrorCode;
import io.kvreactive.http.client.AttemptFailure;
import io.kvreactive.http.client.AttemptFailure.Kind;
import io.kvreactive.http.client.HttpAnswer;
import io.kvreactive.http.client.HttpExchange;
import io.kvreactive.http.client.HttpTransport;
import io.kvreactive.http.client.ServerUrls;
import io.kvreactive.index.DocumentClientOptions;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.UpgradeRejectedException;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketClientOptions;
import io.vertx.core.http.WebSocketConnectOptions;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The WebSockets of a client. A stream is opened on a WebSocket that has room for it; another one
 * is opened if there is none. All methods but {@link #open} and {@link #run} must be called on the
 * context of the client.
 */
final class StreamPool {
  /** A server takes 32 unfinished queries on a connection. */
  private static final int MAX_QUERIES = 24;

  private static final int MAX_STREAMS = 500;
  private static final int MAX_SOCKETS = 64;
  private static final int MAX_MESSAGE_BYTES = 73 << 20;

  /** The server pings every 25 s. */
  private static final int SILENCE_SECONDS = 75;

  private final Context context;
  private final URI base;
  private final DocumentClientOptions options;
  private final RestCaller rest;
  private final WebSocketClient client;
  private final List<StreamSocketClient> sockets = new ArrayList<>();

  private boolean closed;

  StreamPool(
      Vertx vertx, Context context, URI base, DocumentClientOptions options, RestCaller rest) {

    this.context = context;
    this.base = base;
    this.options = options;
    this.rest = rest;
    WebSocketClientOptions client =
        new WebSocketClientOptions()
            .setMaxFrameSize(MAX_MESSAGE_BYTES)
            .setMaxMessageSize(MAX_MESSAGE_BYTES)
            .setMaxConnections(MAX_SOCKETS)
            .setReadIdleTimeout(SILENCE_SECONDS);
    client.setConnectTimeout((int) options.connectTimeout().toMillis());
    this.client = vertx.createWebSocketClient(client);
  }

  URI base() {
    return base;
  }

  /**
   * Runs a task of a stream on the context of the client. If Vert.x is closed, the stream is told
   * that it is lost.
   */
  void run(RemoteStream<?> stream, Runnable task) {
    try {
      context.runOnContext(turn -> task.run());
    } catch (RejectedExecutionException e) {
      stream.lost(AttemptFailure.closed());
    }
  }

  /**
   * Opens a stream, which is told when the connection is lost. A stream that is paused when the
   * client is closed ends.
   *
   * @param pauseMillis the pause before; may be 0
   * @param request the JSON object that opens it, without an id
   */
  void open(RemoteStream<?> stream, long pauseMillis, String request) {
    if (pauseMillis > 0) {
      rest.pause(pauseMillis)
          .subscribe(
              v -> {}, e -> stream.lost(AttemptFailure.closed()), () -> open(stream, 0, request));
      return;
    }
    run(
        stream,
        () -> {
          if (closed) {
            stream.lost(AttemptFailure.closed());
            return;
          }
          StreamSocketClient socket = socketFor(stream);
          if (socket == null) {
            stream.lost(
                AttemptFailure.of(
                    Kind.FINAL,
                    KvErrorCode.OVERLOADED,
                    "streams: more than %d WebSockets have (expected: at most that)"
                        .formatted(MAX_SOCKETS)));
          } else {
            socket.open(stream, request);
          }
        });
  }

  private @Nullable StreamSocketClient socketFor(RemoteStream<?> stream) {
    for (StreamSocketClient socket : sockets) {
      if (socket.streams() < MAX_STREAMS && (!stream.isQuery() || socket.queries() < MAX_QUERIES)) {
        return socket;
      }
    }
    if (sockets.size() == MAX_SOCKETS) {
      return null;
    }
    StreamSocketClient socket = new StreamSocketClient(this);
    sockets.add(socket);
    client
        .connect(request())
        .onComplete(socket::connected, failure -> socket.lost(refusal(failure)));
    return socket;
  }

  private WebSocketConnectOptions request() {
    WebSocketConnectOptions request =
        HttpTransport.target(new WebSocketConnectOptions(), URI.create(base + "/stream"));
    request.setTimeout(options.connectTimeout().toMillis() + options.requestTimeout().toMillis());
    if (options.tls() != null && ServerUrls.isTls(base)) {
      request.setSslOptions(HttpTransport.verifying(options.tls()));
    }
    if (options.token() != null) {
      request.putHeader("Authorization", "Bearer " + options.token());
    }
    return request;
  }

  private AttemptFailure refusal(Throwable failure) {
    if (failure instanceof UpgradeRejectedException rejected) {
      MultiMap headers =
          rejected.getHeaders() == null
              ? MultiMap.caseInsensitiveMultiMap()
              : rejected.getHeaders();
      Buffer body = rejected.getBody() == null ? Buffer.buffer() : rejected.getBody();
      return ProblemReader.of(base, new HttpAnswer(rejected.getStatus(), headers, body));
    }
    String origin = ServerUrls.origin(base);
    return failure instanceof HttpClosedException
        ? AttemptFailure.unavailable(Kind.NOT_DONE, "no WebSocket to " + origin, failure)
        : HttpExchange.notConnected(origin, failure);
  }

  void remove(StreamSocketClient socket) {
    sockets.remove(socket);
  }

  Future<Void> end() {
    closed = true;
    List.copyOf(sockets).forEach(socket -> socket.close(AttemptFailure.closed()));

    return client.close();
  }
}
