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
 * Cancels the Flux when the caller goes, and fails with UNAUTHENTICATED when its token ends. If the
 * Flux fails before anything was written, the request fails; otherwise the stream is reset, so that
 * the caller notices the failure.
 */
public final class ResponseStream extends BaseSubscriber<Buffer> {
  private final RoutingContext context;
  private final HttpServerResponse response;
  private final Context here = current();

  private ResponseStream(RoutingContext context) {
    this.context = context;
    this.response = context.response();
  }

  /**
   * Starts writing. Must be called on the request's event loop, after the headers were set.
   *
   * @param body the body, which must emit on the Vert.x context that is current at subscribe
   */
  public static void write(RoutingContext context, Publisher<Buffer> body) {
    ResponseStream streaming = new ResponseStream(context);
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
    response.write(part);
    if (response.writeQueueFull()) {
      response.drainHandler(drained -> request(1));
    } else { // in a later task: other tasks run, and a closed connection is detected
      here.runOnContext(turn -> request(1));
    }
  }

  @Override
  protected void hookOnComplete() {
    if (!response.closed()) {
      response.end();
    }
  }

  @Override
  protected void hookOnError(Throwable failure) {
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
