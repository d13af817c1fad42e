package io.kvreactive.web.internal.connect;

import io.kvreactive.connect.ConnectProtocol;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.feed.StreamTimers;
import io.kvreactive.web.internal.http.ByteBudget;
import io.kvreactive.web.internal.http.Outlet;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * The source of a watch: frames, with a heartbeat every 3 s. A state is requested when the
 * connection accepts more, so a slow client receives the newest state and no state is queued. A
 * state for which there is no memory is read again when there is. The body ends normally if the
 * server stops, the store is closed, or the token expires or is revoked; clients then reconnect.
 */
final class WatchSource implements Outlet.Source {
  /** Interval of heartbeats. Clients expect one at least every 5 seconds. */
  private static final Duration PING_INTERVAL = Duration.ofSeconds(3);

  private final KvEngine engine;
  private final List<byte[]> keys;
  private final boolean withExpiry;
  private final StreamTimers timers;
  private @Nullable States states;
  private volatile boolean done;

  private WatchSource(
      KvEngine engine, List<byte[]> keys, boolean withExpiry, ServerContext serverContext) {
    this.engine = engine;
    this.keys = keys;
    this.withExpiry = withExpiry;
    this.timers = new StreamTimers(serverContext);
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
    WatchSource source = new WatchSource(engine, keys, withExpiry, serverContext);
    Outlet outlet = Outlet.write(request, source);
    Context here = Outlet.current();
    WebException stopping = new WebException(WebErrorCode.GOING_AWAY, "the server is stopping");
    source.timers.onDrain(() -> here.runOnContext(draining -> outlet.fail(stopping)));
    source.timers.each(PING_INTERVAL, () -> outlet.interject(WatchFrames.PING.copy(), true));
  }

  @Override
  public long nextBytes() {
    return 0; // a watch rests until others write; a state takes memory when it arrives
  }

  @Override
  public Mono<Outlet.Part> next(ByteBudget.Share memory) {
    return Mono.create(
        sink -> {
          States from = states;
          if (from == null) {
            from = new States();
            states = from;
            engine.watch(keys, ConnectProtocol.MAX_FRAME_BYTES).subscribe(from);
          }
          from.next(sink);
        });
  }

  @Override
  public boolean done() {
    return done;
  }

  @Override
  public void setHeaders(HttpServerResponse response) {
    response.putHeader("Content-Type", ConnectProtocol.FRAMES);
    response.putHeader("Cache-Control", "no-store");
  }

  @Override
  public boolean rewind() {
    close(states);
    states = null;
    return true;
  }

  @Override
  public @Nullable Buffer lastWords(Throwable failure, boolean begun) {
    boolean ends =
        failure instanceof WebException e
            && (e.code() == WebErrorCode.GOING_AWAY || e.code() == WebErrorCode.UNAUTHENTICATED);
    return ends ? (begun ? Buffer.buffer() : WatchFrames.PING.copy()) : null;
  }

  @Override
  public void close() {
    timers.close();
    close(states);
  }

  private static void close(@Nullable States states) {
    if (states != null) {
      states.cancel();
    }
  }

  /** The subscriber of the watch. Its signals come on a thread of the engine. */
  private final class States extends BaseSubscriber<ReadResult> {
    private volatile @Nullable MonoSink<Outlet.Part> waiting;

    void next(MonoSink<Outlet.Part> sink) {
      waiting = sink;
      if (upstream() != null) {
        request(1);
      }
    }

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
      if (waiting != null) {
        request(1);
      }
    }

    /** Encodes a state, on a thread of the engine. */
    @Override
    protected void hookOnNext(ReadResult state) {
      Buffer frame = WatchFrames.frame(state, withExpiry);
      emit(new Outlet.Part(frame.length(), List.of(frame).iterator()));
    }

    private void emit(Outlet.Part part) {
      MonoSink<Outlet.Part> sink = waiting;
      if (sink != null) {
        waiting = null;
        sink.success(part);
      }
    }

    @Override
    protected void hookOnComplete() {
      done = true;
      emit(new Outlet.Part(0, List.<Buffer>of().iterator()));
    }

    @Override
    protected void hookOnError(Throwable failure) {
      MonoSink<Outlet.Part> sink = waiting;
      if (sink != null) {
        waiting = null;
        sink.error(failure);
      }
    }
  }
}
