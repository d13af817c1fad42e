package io.kvreactive.web.internal.connect;

import io.kvreactive.connect.ConnectProtocol;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.auth.GrantExpiration;
import io.kvreactive.web.internal.http.RequestContext;
import io.kvreactive.web.internal.http.ResponseStream;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;

/**
 * Writes a watch as frames, with a heartbeat every 3 s. The next state is requested when the
 * connection accepts more, so a slow client receives the newest state and no state is queued. The
 * body ends normally if the server stops, the store is closed, or the token expires or is revoked;
 * clients then reconnect.
 */
final class WatchResponse extends BaseSubscriber<ReadResult> {
  /** Interval of heartbeats in milliseconds. Clients expect one at least every 5 seconds. */
  private static final long PING_MILLIS = 3000;

  private final RoutingContext request;
  private final HttpServerResponse response;
  private final Context loop = ResponseStream.current();
  private final ServerContext serverContext;
  private final boolean withExpiry;
  private final Runnable unregister;
  private final Runnable unexpire;
  private final long timer;
  private boolean ended; // accessed on the event loop only

  private WatchResponse(RoutingContext request, ServerContext serverContext, boolean withExpiry) {
    this.request = request;
    this.withExpiry = withExpiry;
    this.response = request.response();
    this.serverContext = serverContext;
    this.timer = serverContext.vertx().setPeriodic(PING_MILLIS, fired -> tick());
    this.unregister = serverContext.lifecycle().register(() -> onLoop(this::end));
    this.unexpire =
        GrantExpiration.watch(serverContext.vertx(), RequestContext.of(request).grant(), this::end);
  }

  /**
   * Starts writing. Must be called on the request's event loop.
   *
   * @param withExpiry true if entries have their time of expiry
   */
  static void begin(
      RoutingContext request,
      ServerContext serverContext,
      Flux<ReadResult> states,
      boolean withExpiry) {
    WatchResponse stream = new WatchResponse(request, serverContext, withExpiry);
    request.addEndHandler(ended -> stream.stop());
    states.subscribe(stream);
  }

  private void onLoop(Runnable task) {
    loop.runOnContext(ignored -> task.run());
  }

  @Override
  protected void hookOnSubscribe(Subscription subscription) {
    subscription.request(1);
  }

  /** Encodes a state, on a thread of the engine. */
  @Override
  protected void hookOnNext(ReadResult state) {
    Buffer frame = WatchFrames.frame(state, withExpiry);
    onLoop(() -> write(frame));
  }

  private void write(Buffer frame) {
    if (ended) {
      return;
    }
    send(frame);
    if (response.writeQueueFull()) {
      response.drainHandler(drained -> request(1));
    } else {
      request(1);
    }
  }

  private void send(Buffer frame) {
    if (!response.headWritten()) {
      response.setChunked(true).putHeader("Content-Type", ConnectProtocol.FRAMES);
      response.putHeader("Cache-Control", "no-store");
    }
    response.write(frame);
  }

  private void tick() {
    onLoop(
        () -> {
          if (!ended && !response.writeQueueFull()) {
            send(WatchFrames.PING.copy());
          }
        });
  }

  /** Ends the body normally. */
  private void end() {
    if (!ended) {
      stop();
      if (!response.closed()) {
        if (!response.headWritten()) {
          send(WatchFrames.PING.copy());
        }
        response.end();
      }
    }
  }

  private void stop() {
    ended = true;
    cancel();
    release();
  }

  private void release() {
    serverContext.vertx().cancelTimer(timer);
    unregister.run();
    unexpire.run();
  }

  @Override
  protected void hookOnComplete() {
    onLoop(this::end);
  }

  /** Fails the request if nothing was written, otherwise resets the stream. */
  @Override
  protected void hookOnError(Throwable failure) {
    onLoop(
        () -> {
          if (!ended) {
            ended = true;
            release();
            request.fail(failure);
          }
        });
  }
}
