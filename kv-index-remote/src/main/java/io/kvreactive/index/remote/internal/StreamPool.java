package io.kvreactive.index.remote.internal;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.index.DocumentClientOptions;
import io.kvreactive.index.remote.internal.CallFailure.Kind;
import io.kvreactive.index.spi.DocumentMapper;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.UpgradeRejectedException;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketClientOptions;
import io.vertx.core.http.WebSocketConnectOptions;
import io.vertx.core.net.ClientSSLOptions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The WebSockets of a client. A stream is opened on a WebSocket that has room for it; another one
 * is opened if there is none. All methods but {@link #open}, {@link #run} and {@link #openAfter}
 * must be called on the context of the client.
 */
final class StreamPool {
  /** A server takes 32 unfinished queries on a connection. */
  private static final int MAX_QUERIES = 24;

  private static final int MAX_STREAMS = 500;
  private static final int MAX_SOCKETS = 64;
  private static final int MAX_MESSAGE_BYTES = 73 << 20;

  /** The server pings every 25 s. */
  private static final int SILENCE_SECONDS = 75;

  private final Vertx vertx;
  private final Context context;
  private final DatabaseAddress address;
  private final DocumentClientOptions options;
  private final DocumentMapper mapper;
  private final WebSocketClient client;
  private final List<StreamSocketClient> sockets = new ArrayList<>();
  private final Set<RemoteStream<?>> paused = new HashSet<>();
  private boolean closed;

  StreamPool(
      Vertx vertx,
      Context context,
      DatabaseAddress address,
      DocumentClientOptions options,
      DocumentMapper mapper) {
    this.vertx = vertx;
    this.context = context;
    this.address = address;
    this.options = options;
    this.mapper = mapper;
    WebSocketClientOptions client =
        new WebSocketClientOptions()
            .setMaxFrameSize(MAX_MESSAGE_BYTES)
            .setMaxMessageSize(MAX_MESSAGE_BYTES)
            .setMaxConnections(MAX_SOCKETS)
            .setReadIdleTimeout(SILENCE_SECONDS);
    client.setConnectTimeout((int) options.connectTimeout().toMillis());
    this.client = vertx.createWebSocketClient(client);
  }

  DatabaseAddress address() {
    return address;
  }

  /**
   * Runs a task of a stream on the context of the client. If Vert.x is closed, the stream is told
   * that it is lost.
   */
  void run(RemoteStream<?> stream, Runnable task) {
    try {
      context.runOnContext(turn -> task.run());
    } catch (RejectedExecutionException e) {
      stream.lost(closure());
    }
  }

  private static CallFailure closure() {
    return new CallFailure(Kind.FINAL, ClientVerticle.closed(), 0);
  }

  /** Opens a stream after a pause. A stream that is paused when the client is closed ends. */
  void openAfter(long millis, RemoteStream<?> stream, String request) {
    run(
        stream,
        () -> {
          if (closed) {
            stream.lost(closure());
            return;
          }
          paused.add(stream);
          vertx.setTimer(
              Math.max(1, millis),
              fired -> {
                if (paused.remove(stream)) {
                  open(stream, request);
                }
              });
        });
  }

  /**
   * Opens a stream, which is told when the connection is lost.
   *
   * @param request the JSON object that opens it, without an id
   */
  void open(RemoteStream<?> stream, String request) {
    run(
        stream,
        () -> {
          if (closed) {
            stream.lost(closure());
            return;
          }
          StreamSocketClient socket = socketFor(stream);
          if (socket == null) {
            stream.lost(
                new CallFailure(
                    Kind.FINAL,
                    new KvException(
                        KvErrorCode.OVERLOADED,
                        "streams: more than %d WebSockets have (expected: at most that)"
                            .formatted(MAX_SOCKETS)),
                    0));
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
    WebSocketConnectOptions request = address.target(new WebSocketConnectOptions(), "/stream");
    request.setTimeout(options.connectTimeout().toMillis() + options.requestTimeout().toMillis());
    ClientSSLOptions tls = RestCaller.tls(address, options);
    if (tls != null) {
      request.setSslOptions(tls);
    }
    if (options.token() != null) {
      request.putHeader("Authorization", "Bearer " + options.token());
    }
    return request;
  }

  private CallFailure refusal(Throwable failure) {
    if (failure instanceof UpgradeRejectedException rejected) {
      Buffer body = rejected.getBody() == null ? Buffer.buffer() : rejected.getBody();
      String retryAfter =
          rejected.getHeaders() == null ? null : rejected.getHeaders().get("Retry-After");
      return ProblemReader.of(
          address, new RestAnswer(rejected.getStatus(), retryAfter, body), mapper);
    }
    return failure instanceof HttpClosedException
        ? CallFailure.unavailable(Kind.NOT_DONE, "no WebSocket to " + address, failure)
        : RestCaller.notConnected(address, failure);
  }

  void remove(StreamSocketClient socket) {
    sockets.remove(socket);
  }

  Future<Void> close() {
    closed = true;
    List.copyOf(sockets).forEach(socket -> socket.close(closure()));
    paused.forEach(stream -> stream.lost(closure()));
    paused.clear();
    return client.close();
  }
}
