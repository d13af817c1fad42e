package io.kvreactive.web.internal.vertx;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.internal.http.HttpServerRequestInternal;
import io.vertx.core.internal.http.HttpServerRequestWrapper;
import org.jspecify.annotations.Nullable;

/**
 * A request that records whether the server wants more of its body, which Vert.x does not expose.
 */
public final class TrackedRequest extends HttpServerRequestWrapper {
  private long wanted = Long.MAX_VALUE; // chunks; a request flows until it is paused
  private @Nullable Handler<Throwable> failed;

  /** Wraps a request whose body has not been read. */
  public TrackedRequest(HttpServerRequest request) {
    super((HttpServerRequestInternal) request);
  }

  /**
   * Returns true if the body waits for the server, which has paused it, rather than for the caller.
   */
  public boolean waitsForServer() {
    return wanted == 0;
  }

  @Override
  public HttpServerRequest pause() {
    wanted = 0;
    super.pause();
    return this;
  }

  @Override
  public HttpServerRequest resume() {
    wanted = Long.MAX_VALUE;
    super.resume();
    return this;
  }

  @Override
  public HttpServerRequest fetch(long amount) {
    wanted = wanted > Long.MAX_VALUE - amount ? Long.MAX_VALUE : wanted + amount;
    super.fetch(amount);
    return this;
  }

  @Override
  public HttpServerRequest handler(@Nullable Handler<Buffer> handler) {
    super.handler(handler == null ? null : piece -> arrived(piece, handler));
    return this;
  }

  @Override
  public HttpServerRequest exceptionHandler(@Nullable Handler<Throwable> handler) {
    failed = handler;
    super.exceptionHandler(handler);
    return this;
  }

  /** Fails the reader of the body. Returns false if nothing reads the body. */
  public boolean fail(Throwable cause) {
    Handler<Throwable> reader = failed;
    if (reader == null) {
      return false;
    }
    context().emit(cause, reader);
    return true;
  }

  private void arrived(Buffer piece, Handler<Buffer> handler) {
    if (wanted != Long.MAX_VALUE && wanted > 0) {
      wanted--;
    }
    handler.handle(piece);
  }
}
