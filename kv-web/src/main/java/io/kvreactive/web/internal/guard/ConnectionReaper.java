package io.kvreactive.web.internal.guard;

import io.kvreactive.web.ConnectionOptions;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.timeout.IdleStateHandler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.impl.ConnectionBase;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends connections that hold on to something and give nothing for it: requests or bodies that come
 * drop by drop, and silence. It belongs to one instance of the server, on its event loop.
 *
 * <p>Without TLS, Vert.x tells of a connection only when its first request has been read, for it
 * may yet be HTTP/2. Until then its timer for writes stands in: nothing is written before that.
 * Then the timer is exchanged for one that only runs in silence. That takes a look at the pipeline
 * of Vert.x, for which it has no public way.
 */
public final class ConnectionReaper {
  private static final String IDLE = "idle"; // the timer's name in the pipeline
  static final Duration SLOWEST = Duration.ofSeconds(1);
  private static final Duration FASTEST = Duration.ofMillis(20);

  /**
   * Requests that a caller may take back on one connection within a while; more end it. Each costs
   * the server work for nothing. A pipeline with time-outs, or a proxy that many share, takes back
   * more than the 200 that Vert.x lets pass in that time; an attack brings thousands a second.
   */
  private static final int RESETS = 1_000;

  private static final Duration RESETS_WITHIN = Duration.ofSeconds(30);

  private final ConnectionOptions options;
  private final ConnectionLimiter connections;
  private final Map<HttpConnection, TrackedConnection> watched = new HashMap<>();

  public ConnectionReaper(Vertx vertx, ConnectionLimiter connections) {
    this.options = connections.options();
    this.connections = connections;
    vertx.setPeriodic(pause().toMillis(), tick -> sweep()); // ends with the verticle
  }

  private Duration pause() {
    Duration shortest =
        List.of(options.headerTimeout(), options.bodyTimeout(), options.idleTimeout()).stream()
            .min(Duration::compareTo)
            .orElse(SLOWEST)
            .dividedBy(4);
    Duration notSlow = shortest.compareTo(SLOWEST) < 0 ? shortest : SLOWEST;
    return notSlow.compareTo(FASTEST) > 0 ? notSlow : FASTEST;
  }

  /** What the options of the server need for this to work. */
  public static void prepare(HttpServerOptions server, ConnectionOptions options) {
    server
        .setSslHandshakeTimeout(options.headerTimeout().toMillis())
        .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
        .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
        .setWriteIdleTimeout(millis(options.headerTimeout()))
        .setHttp2RstFloodMaxRstFramePerWindow(RESETS)
        .setHttp2RstFloodWindowDurationTimeUnit(TimeUnit.SECONDS)
        .setHttp2RstFloodWindowDuration(Math.toIntExact(RESETS_WITHIN.toSeconds()));
  }

  private static int millis(Duration duration) {
    return Math.toIntExact(Math.min(duration.toMillis(), Integer.MAX_VALUE));
  }

  /** The handler of new connections. */
  public void opened(HttpConnection connection) {
    ChannelPipeline pipeline = pipeline(connection);
    pipeline.replace(IDLE, IDLE, silenceTimer());
    TrackedConnection fresh = new TrackedConnection(connection, options, System.nanoTime());
    SocketGuard.of(pipeline.channel()).opened(pipeline, fresh);
    watched.put(connection, fresh);
    // the channel's end, for Vert.x does not tell of a connection's that became a WebSocket
    pipeline.channel().closeFuture().addListener(closed -> watched.remove(connection));
  }

  private static ChannelPipeline pipeline(HttpConnection connection) {
    if (!(connection instanceof ConnectionBase base)) {
      throw new IllegalStateException("Vert.x has other connections now: " + connection.getClass());
    }
    return base.channelHandlerContext().pipeline();
  }

  private ChannelHandler silenceTimer() {
    long silence = options.silenceTimeout().toMillis();
    return new IdleStateHandler(0, 0, silence, TimeUnit.MILLISECONDS);
  }

  /**
   * To be told of each request, when its headers have been read.
   *
   * @return the request to be answered; null when there is none, and the connection is ended
   */
  public @Nullable HttpServerRequest asked(HttpServerRequest request) {
    TrackedConnection connection = watched.get(request.connection());
    HttpServerRequest asked = connection == null ? null : connection.asked(request);
    if (asked == null) {
      request.connection().close();
    }
    return asked;
  }

  private void sweep() {
    long now = System.nanoTime();
    for (TrackedConnection connection : List.copyOf(watched.values())) {
      String late = connection.late(now);
      if (late != null) {
        connections
            .refusals()
            .refused("connection.slow")
            .with("address", ClientAddresses.caller(connection.connection().remoteAddress()))
            .with("reason", late)
            .log();
      }
      if (late != null || connection.idle(now)) {
        SocketGuard.of(pipeline(connection.connection()).channel()).close();
      }
    }
  }
}
