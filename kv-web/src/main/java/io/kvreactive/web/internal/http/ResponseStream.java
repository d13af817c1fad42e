package io.kvreactive.web.internal.http;

import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.auth.GrantExpiration;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;

/**
 * Writes a Flux as the body of a response. Requests a buffer when the connection accepts more.
 * Cancels the Flux if the caller disconnects, and fails with UNAUTHENTICATED when its token ends.
 * If the Flux fails before anything was written, the request fails; otherwise the stream is reset,
 * so that the caller notices the failure.
 */
public final class ResponseStream extends BaseSubscriber<Buffer> {
  private static final int JOINED_BYTES = 32 << 10;
  private static final long JOINED_MILLIS = 2;

  private final RoutingContext context;
  private final HttpServerResponse response;
  private final Context here = current();
  private final boolean joins;
  private Buffer joined = Buffer.buffer(); // parts that are not written yet
  private boolean flushes; // a timer that writes the joined parts is set

  private ResponseStream(RoutingContext context, boolean joins) {
    this.context = context;
    this.response = context.response();
    this.joins = joins;
  }

  /**
   * Starts writing. Must be called on the request's event loop, after the headers were set.
   *
   * @param body the body, which must emit on the Vert.x context that is current at subscribe
   */
  public static void write(RoutingContext context, Publisher<Buffer> body) {
    write(context, body, false);
  }

  /**
   * Starts writing a body of many small parts, such as rows. Parts are written together, at the
   * latest after {@value #JOINED_MILLIS} ms.
   *
   * @param body the body, which must emit on the Vert.x context that is current at subscribe
   */
  public static void writeJoined(RoutingContext context, Publisher<Buffer> body) {
    write(context, body, true);
  }

  private static void write(RoutingContext context, Publisher<Buffer> body, boolean joins) {
    ResponseStream streaming = new ResponseStream(context, joins);
    if (!context.response().headers().contains("Content-Length")) {
      context.response().setChunked(true);
    }
    Runnable forget =
        GrantExpiration.watch(
            context.vertx(), RequestContext.of(context).grant(), streaming::tokenEnded);
    context.addEndHandler( // does not replace other handlers
        ended -> {
          forget.run();
          streaming.cancel();
        });
    Flux.from(body).contextWrite(RequestContext.of(context).trace()::context).subscribe(streaming);
  }

  private void tokenEnded() {
    cancel();
    context.fail(
        new WebException(WebErrorCode.UNAUTHENTICATED, "the token has expired or was revoked"));
  }

  @Override
  protected void hookOnSubscribe(Subscription subscription) {
    if (response.closed()) {
      cancel();
    } else {
      request(1);
    }
  }

  @Override
  protected void hookOnNext(Buffer part) {
    if (response.closed()) {
      cancel();
      return;
    }
    if (ResponseBodies.headOnly(context)) { // the rest is not needed
      cancel();
      response.end();
      return;
    }
    if (joins) {
      joined.appendBuffer(part);
      if (joined.length() < JOINED_BYTES) {
        if (!flushes) {
          flushes = true;
          context
              .vertx()
              .setTimer(
                  JOINED_MILLIS,
                  fired -> {
                    flushes = false;
                    flush();
                  });
        }
        request(1);
        return;
      }
      flush();
    } else {
      response.write(part);
    }
    if (response.writeQueueFull()) {
      response.drainHandler(drained -> request(1));
    } else { // in a later task: other tasks run, and a closed connection is detected
      here.runOnContext(turn -> request(1));
    }
  }

  private void flush() {
    if (joined.length() > 0 && !response.closed() && !response.ended()) {
      response.write(joined);
    }
    joined = Buffer.buffer();
  }

  @Override
  protected void hookOnComplete() {
    flush();
    if (!response.closed()) {
      response.end();
    }
  }

  @Override
  protected void hookOnError(Throwable failure) {
    flush(); // the rows before the failure
    context.fail(failure);
  }

  /**
   * Returns the current Vert.x context, for streams whose source is not a store.
   *
   * @throws IllegalStateException on other threads
   */
  public static Context current() {
    Context current = Vertx.currentContext();
    if (current == null) {
      throw new IllegalStateException("not on a Vert.x context");
    }
    return current;
  }
}
