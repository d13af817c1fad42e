package io.kvreactive.web.internal.connect;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvLimits;
import io.kvreactive.Versionstamp;
import io.kvreactive.connect.ConnectProtocol;
import io.kvreactive.connect.WireEntries;
import io.kvreactive.connect.wire.SnapshotReadStatus;
import io.kvreactive.connect.wire.Watch;
import io.kvreactive.connect.wire.WatchKeyOutput;
import io.kvreactive.connect.wire.WatchOutput;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.http.BodyReader;
import io.kvreactive.web.internal.http.FluxSource;
import io.kvreactive.web.internal.http.Outlet;
import io.kvreactive.web.internal.http.RequestContext;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/** Handles watches of keys. */
final class WatchHandler implements Handler<RoutingContext> {
  /** Maximum number of keys of a watch. Deno watches at most 10. */
  static final int MAX_KEYS = 100;

  /** Interval of heartbeats. Clients expect one at least every 5 seconds. */
  private static final Duration PING_INTERVAL = Duration.ofSeconds(3);

  /** A frame with an empty message, which serves as a heartbeat. */
  private static final Buffer PING = Buffer.buffer(new byte[ConnectProtocol.FRAME_HEADER_BYTES]);

  private final MessageBodies bodies;
  private final ServerContext serverContext;

  WatchHandler(MessageBodies bodies, ServerContext serverContext) {
    this.bodies = bodies;
    this.serverContext = serverContext;
  }

  @Override
  public void handle(RoutingContext context) {
    KvLimits limits = RequestContext.of(context).database().kv().limits();
    bodies.read(
        context,
        Watch.getDefaultInstance(),
        Math.min(MAX_KEYS, limits.maxWatchedKeys()),
        request -> watch(context, request));
  }

  private void watch(RoutingContext context, Watch request) {
    RequestContext requestContext = RequestContext.of(context);
    List<byte[]> keys =
        request.getKeysList().stream().map(key -> key.getKey().toByteArray()).toList();
    keys.forEach(key -> requestContext.authorizeRange(key, Arrays.copyOf(key, key.length + 1)));
    if (keys.isEmpty()) {
      requestContext.namesNoKey();
    }
    BodyReader.release(context);
    KvEngine engine = requestContext.kv().engine();
    Outlet outlet = Outlet.write(context, new WatchSource(engine, keys, request.getWithExpiry()));
    outlet.onDrain(serverContext.lifecycle(), () -> outlet.fail(Outlet.goingAway()));
    outlet.each(PING_INTERVAL, () -> outlet.interject(PING.copy(), true));
  }

  /**
   * The source of a watch: frames of a length, four bytes little-endian, and a message, with a
   * heartbeat every 3 s. A state is requested when the connection accepts more, so a slow client
   * receives the newest state and no state is queued. A state for which there is no memory is read
   * again when there is. The body ends normally if the server stops, the store is closed, or the
   * token expires or is revoked; clients then reconnect.
   */
  private static final class WatchSource extends FluxSource {
    private final KvEngine engine;
    private final List<byte[]> keys;
    private final boolean withExpiry;

    WatchSource(KvEngine engine, List<byte[]> keys, boolean withExpiry) {
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

    @Override
    protected Flux<Element> elements(@Nullable Versionstamp after) {
      return engine
          .watch(keys, ConnectProtocol.MAX_FRAME_BYTES)
          .map(state -> new Element(frame(state, withExpiry), null));
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
      return ends ? (begun ? Buffer.buffer() : PING.copy()) : null;
    }

    /**
     * Returns a frame in which all keys are marked as changed, because Deno takes an unchanged key
     * for a deleted one.
     *
     * @param withExpiry true if entries have their time of expiry
     * @throws KvException LIMIT_EXCEEDED if the frame exceeds the maximum size that clients accept
     */
    private static Buffer frame(ReadResult state, boolean withExpiry) {
      WatchOutput.Builder output =
          WatchOutput.newBuilder().setStatus(SnapshotReadStatus.SR_SUCCESS);
      for (RangePage page : state.pages()) {
        WatchKeyOutput.Builder key = WatchKeyOutput.newBuilder().setChanged(true);
        if (!page.entries().isEmpty()) {
          key.setEntryIfChanged(WireEntries.entry(page.entries().get(0), withExpiry));
        }
        output.addKeys(key);
      }
      WatchOutput message = output.build();
      int size = message.getSerializedSize();
      if (size < 0 || size > ConnectProtocol.MAX_FRAME_BYTES) {
        throw new KvException(
            KvErrorCode.LIMIT_EXCEEDED,
            "watched keys and values of %d bytes (expected: at most %d together)"
                .formatted(size, ConnectProtocol.MAX_FRAME_BYTES));
      }
      return Buffer.buffer(ConnectProtocol.FRAME_HEADER_BYTES + size)
          .appendIntLE(size)
          .appendBytes(message.toByteArray());
    }
  }
}
