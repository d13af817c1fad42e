package io.kvreactive.web.internal.guard;

import io.kvreactive.web.ConnectionOptions;
import io.kvreactive.web.internal.vertx.ConnectionChannels;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.timeout.IdleStateHandler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Closes connections that hold resources without progress: slow requests or bodies, and silent
 * connections. One reaper belongs to one instance of the server and runs on its event loop.
 *
 * <p>Without TLS, Vert.x reports a connection only after its first request was read, because the
 * connection may still become HTTP/2. Until then, the write timeout of Vert.x replaces a read
 * timeout, because nothing is written before. Afterwards, the reaper replaces that timer by one
 * that expires only during silence. This requires access to the pipeline of Vert.x, for which there
 * is no public API.
 */
public final class ConnectionReaper {
  private static final String IDLE = "idle"; // name of the timer in the pipeline
  static final Duration SLOWEST = Duration.ofSeconds(1);
  private static final Duration FASTEST = Duration.ofMillis(20);

  /**
   * Maximum number of requests that a caller may reset on one connection within {@link
   * #RESETS_WITHIN}; more end the connection. Each reset costs work on the server. A client with
   * timeouts, or a shared proxy, exceeds the 200 that Vert.x allows in that time; an attack sends
   * thousands per second.
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

  /** Sets the timeouts and limits of the server that the reaper relies on. */
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

  /** Starts watching a new connection. Must be called on the event loop of the connection. */
  public void opened(HttpConnection connection) {
    ChannelPipeline pipeline = pipeline(connection);
    pipeline.replace(IDLE, IDLE, silenceTimer());
    TrackedConnection fresh = new TrackedConnection(connection, options, System.nanoTime());
    SocketGuard.of(pipeline.channel()).opened(pipeline, fresh);
    watched.put(connection, fresh);
    // uses the channel, because Vert.x does not report the end of a connection that became a
    // WebSocket
    pipeline.channel().closeFuture().addListener(closed -> watched.remove(connection));
  }

  private static ChannelPipeline pipeline(HttpConnection connection) {
    return ConnectionChannels.of(connection).pipeline();
  }

  private ChannelHandler silenceTimer() {
    long silence = options.silenceTimeout().toMillis();
    return new IdleStateHandler(0, 0, silence, TimeUnit.MILLISECONDS);
  }

  /**
   * Records a request whose headers have been read.
   *
   * @return the request to be answered; null if the connection was closed instead
   */
  public @Nullable HttpServerRequest track(HttpServerRequest request) {
    TrackedConnection connection = watched.get(request.connection());
    HttpServerRequest tracked = connection == null ? null : connection.track(request);
    if (tracked == null) {
      request.connection().close();
    }
    return tracked;
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
