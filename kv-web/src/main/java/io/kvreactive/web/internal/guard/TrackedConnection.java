package io.kvreactive.web.internal.guard;

import io.kvreactive.web.ConnectionOptions;
import io.kvreactive.web.internal.vertx.TrackedRequest;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The unanswered requests of a connection. They are tracked to detect slow callers and idle
 * connections.
 */
final class TrackedConnection {
  private static final int SWITCHED = 101;
  private static final int MANY = 64;
  static final long PROGRESS_BYTES = 1024;

  private static final class Exchange {
    final TrackedRequest request;
    final int streamId; // 0 with HTTP/1
    long since;
    long bytes;
    boolean answered;
    int window;

    Exchange(TrackedRequest request, int streamId, long since) {
      this.request = request;
      this.streamId = streamId;
      this.since = since;
    }

    /**
     * Returns true if the server holds nothing for the request any more. An HTTP/2 stream continues
     * until it is closed.
     */
    boolean done() {
      HttpServerResponse response = request.response();
      return response.closed() || streamId == 0 && response.ended();
    }

    /** Returns true if the connection has become a WebSocket with this request. */
    boolean isSwitched() {
      return streamId == 0
          && request.response().ended()
          && request.response().getStatusCode() == SWITCHED;
    }

    /**
     * Removes what the request and its response hold: Vert.x keeps both as long as the WebSocket,
     * and calls none of the handlers any more.
     */
    void removeExchange() {
      request.headers().clear();
      HttpServerResponse response = request.response();
      response.headers().clear();
      response
          .headersEndHandler(null)
          .bodyEndHandler(null)
          .endHandler(null)
          .closeHandler(null)
          .exceptionHandler(null);
    }
  }

  private final HttpConnection connection;
  private final ConnectionOptions options;
  private final List<Exchange> exchanges = new ArrayList<>();
  private boolean first = true;
  private boolean last;
  private boolean switched; // to a WebSocket, which lasts until the connection ends
  private long freeSince;
  private int purgeAt = MANY;
  private @Nullable Http2Guard http2;

  TrackedConnection(HttpConnection connection, ConnectionOptions options, long now) {
    this.connection = connection;
    this.options = options;
    this.freeSince = now;
  }

  HttpConnection connection() {
    return connection;
  }

  void http2(Http2Guard guard) {
    http2 = guard;
  }

  /**
   * Adds a request and returns the request to be answered; null if the previous request was the
   * last of its connection.
   */
  @Nullable TrackedRequest track(HttpServerRequest request) {
    if (last) {
      return null;
    }
    last = RequestFraming.last(request);
    first = false;
    long now = System.nanoTime();
    freeSince = now;
    if (exchanges.size() >= purgeAt) {
      exchanges.removeIf(Exchange::done);
      purgeAt = Math.max(MANY, 2 * exchanges.size());
    }
    TrackedRequest watched = new TrackedRequest(request);
    exchanges.add(new Exchange(watched, http2 == null ? 0 : request.response().streamId(), now));
    return watched;
  }

  /**
   * Fails the body of the last request of an HTTP/1 connection.
   *
   * @return false if nothing reads the body
   */
  boolean failBody(Throwable cause) {
    Exchange last = exchanges.isEmpty() ? null : exchanges.get(exchanges.size() - 1);
    return last != null && !last.request.response().ended() && last.request.fail(cause);
  }

  /**
   * Returns the reason for closing the connection because the caller is too slow; null if there is
   * none.
   */
  @Nullable String late(long now) {
    if (http2 != null) {
      http2.sweep(now);
    }
    for (Exchange one : exchanges) {
      if (one.isSwitched()) {
        switched = true;
        one.removeExchange();
      }
    }
    if (exchanges.removeIf(Exchange::done) && exchanges.isEmpty()) {
      freeSince = now;
    }
    if (first && over(now, freeSince, options.headerTimeout())) {
      return "no request within " + options.headerTimeout();
    }
    for (Exchange one : exchanges) {
      if (one.streamId != 0 && one.request.response().ended() && !one.answered) {
        one.answered = true; // from now on the server waits for the caller
        one.since = now;
      }
      if (lateBody(one, now)) {
        return "no progress of a request body for " + options.bodyTimeout();
      }
      if (one.answered && lateReader(one, now)) {
        return "no progress of a response for " + options.silenceTimeout();
      }
    }
    return null;
  }

  /**
   * Returns true if no byte of the response to an HTTP/2 request could be sent for the silence
   * timeout.
   */
  private boolean lateReader(Exchange one, long now) {
    int window = http2 == null ? 0 : http2.window(one.streamId);
    if (window != one.window) {
      one.window = window;
      one.since = now;
    }
    return over(now, one.since, options.silenceTimeout());
  }

  private boolean lateBody(Exchange one, long now) {
    if (one.request.isEnded() || upgrade(one.request)) {
      return false;
    }
    long bytes = one.request.bytesRead();
    boolean waits = !one.answered && one.request.waitsForServer();
    if (bytes - one.bytes >= PROGRESS_BYTES || waits) {
      one.bytes = bytes;
      one.since = now;
    }
    return over(now, one.since, options.bodyTimeout());
  }

  /** Returns true for the handshake of a WebSocket, which has no body and does not end. */
  private static boolean upgrade(HttpServerRequest request) {
    return HttpMethod.GET.equals(request.method())
        && request.headers().contains("Upgrade")
        && !request.headers().contains("Content-Length")
        && !request.headers().contains("Transfer-Encoding");
  }

  /** Returns true if the connection has been idle for too long. */
  boolean idle(long now) {
    return !switched && exchanges.isEmpty() && over(now, freeSince, options.idleTimeout());
  }

  private static boolean over(long now, long since, Duration limit) {
    return now - since > limit.toNanos();
  }
}
