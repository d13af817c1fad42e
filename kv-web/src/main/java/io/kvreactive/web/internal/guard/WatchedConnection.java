package io.kvreactive.web.internal.guard;

import io.kvreactive.web.ConnectionOptions;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What goes on on a connection, as far as it may have to be ended. */
final class WatchedConnection {
  private static final int SWITCHED = 101;
  private static final int MANY = 64;
  private static final long PROGRESS_BYTES = 1024;

  private static final class Asked {
    final WatchedRequest request;
    long since;
    long bytes;

    Asked(WatchedRequest request, long since) {
      this.request = request;
      this.since = since;
    }

    /** A WebSocket goes on after the answer to its handshake, until the connection ends. */
    boolean answered() {
      HttpServerResponse response = request.response();
      return (response.ended() && response.getStatusCode() != SWITCHED) || response.closed();
    }
  }

  private final HttpConnection connection;
  private final ConnectionOptions options;
  private final List<Asked> asked = new ArrayList<>();
  private boolean first = true;
  private boolean last;
  private long freeSince;
  private int purgeAt = MANY;

  WatchedConnection(HttpConnection connection, ConnectionOptions options, long now) {
    this.connection = connection;
    this.options = options;
    this.freeSince = now;
  }

  HttpConnection connection() {
    return connection;
  }

  /** The request to be answered; null when no more may follow. */
  @Nullable WatchedRequest asked(HttpServerRequest request) {
    if (last) {
      return null;
    }
    last = Framing.last(request);
    first = false;
    long now = System.nanoTime();
    freeSince = now;
    if (asked.size() >= purgeAt) {
      asked.removeIf(Asked::answered);
      purgeAt = Math.max(MANY, 2 * asked.size());
    }
    WatchedRequest watched = new WatchedRequest(request);
    asked.add(new Asked(watched, now));
    return watched;
  }

  /** Why the connection is too slow; null when it is not. */
  @Nullable String late(long now) {
    if (asked.removeIf(Asked::answered) && asked.isEmpty()) {
      freeSince = now;
    }
    if (first && over(now, freeSince, options.headerTimeout())) {
      return "no request in " + options.headerTimeout();
    }
    for (Asked one : asked) {
      if (lateBody(one, now)) {
        return "a body stands still for " + options.bodyTimeout();
      }
    }
    return null;
  }

  private boolean lateBody(Asked one, long now) {
    if (one.request.isEnded() || upgrade(one.request)) {
      return false;
    }
    long bytes = one.request.bytesRead();
    if (bytes - one.bytes >= PROGRESS_BYTES || one.request.waitsForServer()) {
      one.bytes = bytes;
      one.since = now;
    }
    return over(now, one.since, options.bodyTimeout());
  }

  /** Of a WebSocket, whose handshake has no body and does not end. */
  private static boolean upgrade(HttpServerRequest request) {
    return HttpMethod.GET.equals(request.method())
        && request.headers().contains("Upgrade")
        && !request.headers().contains("Content-Length")
        && !request.headers().contains("Transfer-Encoding");
  }

  /** Whether the connection has had nothing to do for too long. */
  boolean idle(long now) {
    return asked.isEmpty() && over(now, freeSince, options.idleTimeout());
  }

  private static boolean over(long now, long since, Duration limit) {
    return now - since > limit.toNanos();
  }
}
