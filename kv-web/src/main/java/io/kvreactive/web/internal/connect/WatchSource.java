package io.kvreactive.web.internal.connect;

import io.kvreactive.Versionstamp;
import io.kvreactive.connect.ConnectProtocol;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.http.FluxSource;
import io.kvreactive.web.internal.http.Outlet;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * The source of a watch: frames, with a heartbeat every 3 s. A state is requested when the
 * connection accepts more, so a slow client receives the newest state and no state is queued. A
 * state for which there is no memory is read again when there is. The body ends normally if the
 * server stops, the store is closed, or the token expires or is revoked; clients then reconnect.
 */
final class WatchSource extends FluxSource {
  /** Interval of heartbeats. Clients expect one at least every 5 seconds. */
  private static final Duration PING_INTERVAL = Duration.ofSeconds(3);

  private final KvEngine engine;
  private final List<byte[]> keys;
  private final boolean withExpiry;

  private WatchSource(KvEngine engine, List<byte[]> keys, boolean withExpiry) {
    super(
        1,
        0,
        response ->
            response
                .putHeader("Content-Type", ConnectProtocol.FRAMES)
                .putHeader("Cache-Control", "no-store"));
    this.engine = engine;
    this.keys = keys;
    this.withExpiry = withExpiry;
  }

  /**
   * Starts writing. Must be called on the request's event loop.
   *
   * @param withExpiry true if entries have their time of expiry
   */
  static void begin(
      RoutingContext request,
      ServerContext serverContext,
      KvEngine engine,
      List<byte[]> keys,
      boolean withExpiry) {
    Outlet outlet = Outlet.write(request, new WatchSource(engine, keys, withExpiry));
    outlet.onDrain(serverContext.lifecycle(), () -> outlet.fail(Outlet.goingAway()));
    outlet.each(PING_INTERVAL, () -> outlet.interject(WatchFrames.PING.copy(), true));
  }

  @Override
  protected Flux<Element> elements(@Nullable Versionstamp after) {
    return engine
        .watch(keys, ConnectProtocol.MAX_FRAME_BYTES)
        .map(state -> new Element(WatchFrames.frame(state, withExpiry), null));
  }

  @Override
  public boolean rewind() {
    restart();
    return true;
  }

  @Override
  public @Nullable Buffer lastWords(Throwable failure, boolean begun) {
    boolean ends =
        failure instanceof WebException e
            && (e.code() == WebErrorCode.GOING_AWAY || e.code() == WebErrorCode.UNAUTHENTICATED);
    return ends ? (begun ? Buffer.buffer() : WatchFrames.PING.copy()) : null;
  }
}
