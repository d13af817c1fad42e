package io.kvreactive.http.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.http.client.AttemptFailure.Kind;
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
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The WebSockets of a client. A stream is opened on a WebSocket that has room for it; another one
 * is opened if there is none. All methods but {@link #open} and {@link #run} must be called on the
 * event loop of the client.
 */
public final class StreamPool {
  /** The conversions in which the clients of streams differ. */
  public interface Codec {
    /** Parses a message. */
    JsonNode parse(byte[] json);

    /** Returns compact JSON; lone surrogates are escaped. */
    String text(JsonNode json);

    /** Returns the failure for an error of the server. */
    AttemptFailure failure(ServerProblem problem);
  }

  /** A server takes 32 unfinished queries on a connection. */
  private static final int MAX_QUERIES = 24;

  private static final int MAX_STREAMS = 500;
  private static final int MAX_SOCKETS = 64;
  private static final int MAX_MESSAGE_BYTES = 73 << 20;

  /** The server pings every 25 s. */
  private static final int SILENCE_SECONDS = 75;

  private final ClientEventLoop loop;
  private final ServerAccess server;
  private final HttpTransport transport;
  private final Codec codec;
  private final WebSocketClient client;
  private final List<StreamSocketClient> sockets = new ArrayList<>();
  private boolean closed;

  /**
   * Creates a pool.
   *
   * @param transport the owner of pauses, which is closed before this pool
   */
  public StreamPool(
      Vertx vertx,
      ClientEventLoop loop,
      ServerAccess server,
      HttpTransport transport,
      Codec codec) {
    this.loop = loop;
    this.server = server;
    this.transport = transport;
    this.codec = codec;
    WebSocketClientOptions options =
        new WebSocketClientOptions()
            .setMaxFrameSize(MAX_MESSAGE_BYTES)
            .setMaxMessageSize(MAX_MESSAGE_BYTES)
            .setMaxConnections(MAX_SOCKETS)
            .setReadIdleTimeout(SILENCE_SECONDS);
    options.setConnectTimeout(server.connectMillis());
    this.client = vertx.createWebSocketClient(options);
  }

  ServerAccess server() {
    return server;
  }

  Codec codec() {
    return codec;
  }

  /**
   * Runs a task of a stream on the event loop of the client. If Vert.x is closed, the stream is
   * told that it is lost.
   */
  void run(RemoteStream<?> stream, Runnable task) {
    try {
      loop.execute(task);
    } catch (KvException closing) {
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
      transport
          .pause(pauseMillis)
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
        HttpTransport.target(new WebSocketConnectOptions(), URI.create(server.base() + "/stream"));
    request.setTimeout(server.connectMillis() + server.requestMillis());
    request.setProxyOptions(server.proxy());
    if (server.tls() != null && ServerUrls.isTls(server.base())) {
      request.setSslOptions(HttpTransport.verifying(server.tls()));
    }
    if (server.token() != null) {
      request.putHeader("Authorization", "Bearer " + server.token());
    }
    return request;
  }

  private AttemptFailure refusal(Throwable failure) {
    if (failure instanceof UpgradeRejectedException rejected) {
      MultiMap headers =
          Objects.requireNonNullElseGet(rejected.getHeaders(), MultiMap::caseInsensitiveMultiMap);
      Buffer body = Objects.requireNonNullElseGet(rejected.getBody(), Buffer::buffer);
      return codec.failure(ServerProblem.of(new HttpAnswer(rejected.getStatus(), headers, body)));
    }
    return failure instanceof HttpClosedException
        ? AttemptFailure.unavailable(Kind.NOT_DONE, "no WebSocket to " + server, failure)
        : HttpExchange.notConnected(server.toString(), failure);
  }

  void remove(StreamSocketClient socket) {
    sockets.remove(socket);
  }

  /** Ends all streams and closes the connections. */
  public Future<Void> close() {
    closed = true;
    List.copyOf(sockets).forEach(socket -> socket.close(AttemptFailure.closed()));
    return client.close();
  }
}
