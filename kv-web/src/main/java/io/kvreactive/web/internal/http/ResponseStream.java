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
 * Writes a Flux as the body of a response. Requests buffers when the connection accepts more.
 * Cancels the Flux when the caller goes, and fails with UNAUTHENTICATED when its token ends. If the
 * Flux fails before anything was written, the request fails; otherwise the stream is reset, so that
 * the caller notices the failure.
 */
public final class ResponseStream extends BaseSubscriber<Buffer> {
  private static final int JOINED_BYTES = 32 << 10;
  private static final int MAX_JOINED = 256;

  private final RoutingContext context;
  private final HttpServerResponse response;
  private final Context here = current();
  private final boolean joins;
  private Buffer joined = Buffer.buffer(); // parts that are not written yet
  private int wanted = 1; // the size of a request for parts
  private int awaited; // the parts that are requested
  private int bytes; // of the parts since the last request
  private boolean flushes; // a task that writes the joined parts is scheduled

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
   * Starts writing a body of many small parts, such as rows. Parts that are emitted together are
   * written together. While parts are small, up to {@value #MAX_JOINED} of them are requested at a
   * time.
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
      ask();
    }
  }

  private void ask() {
    awaited = wanted;
    bytes = 0;
    request(wanted);
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
    awaited--;
    if (joins) {
      joined.appendBuffer(part);
      bytes += part.length();
      if (awaited > 0) {
        if (joined.length() >= JOINED_BYTES) {
          flush();
        } else if (!flushes) { // the rest may come later
          flushes = true;
          here.runOnContext(turn -> flush());
        }
        return;
      }
      wanted = bytes > JOINED_BYTES ? Math.max(1, wanted / 2) : Math.min(MAX_JOINED, wanted * 2);
      flush();
    } else {
      response.write(part);
    }
    if (response.writeQueueFull()) {
      response.drainHandler(drained -> ask());
    } else { // in a later task: other tasks run, and a closed connection is detected
      here.runOnContext(turn -> ask());
    }
  }

  private void flush() {
    flushes = false;
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
