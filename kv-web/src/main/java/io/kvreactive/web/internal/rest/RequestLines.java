package io.kvreactive.web.internal.rest;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.spi.SerialSubscription;
import io.kvreactive.web.internal.http.ByteBudget;
import io.kvreactive.web.internal.http.InvalidRequestHandler;
import io.kvreactive.web.internal.http.Outlet;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/**
 * The body of a request as lines, without their ends. Reads from the connection on demand only, and
 * holds one chunk of the body and one line. Must be created on the request's event loop, on which
 * it emits; for one subscriber.
 *
 * <p>The rest of the body after a cancel is discarded, so that callers that send everything before
 * they read can read the response.
 */
final class RequestLines extends Flux<String> {
  private static final Buffer NOTHING = Buffer.buffer();

  private final HttpServerRequest request;
  private final int maxLineBytes;
  private final ByteBudget.Share share; // bytes of an incomplete line
  private final Context context;
  private final AtomicReference<@Nullable Lines> subscription = new AtomicReference<>();
  private boolean ended; // accessed on the event loop

  RequestLines(HttpServerRequest request, int maxLineBytes, ByteBudget.Share share) {
    this.share = share;
    this.request = request.pause();
    this.maxLineBytes = maxLineBytes;
    this.context = Outlet.current();
  }

  @Override
  public void subscribe(CoreSubscriber<? super String> actual) {
    Lines lines = new Lines(actual);
    if (subscription.compareAndSet(null, lines)) {
      lines.start();
    } else {
      Operators.error(actual, new IllegalStateException("a body is read once"));
    }
  }

  /** Discards the body, or the rest of it. */
  void discard() {
    Lines lines = subscription.get();
    if (lines == null) {
      context.runOnContext(ignored -> discardRest());
    } else {
      lines.cancel();
    }
  }

  private void discardRest() {
    if (!ended) {
      request.handler(rest -> {});
      request.resume();
    }
  }

  private final class Lines extends SerialSubscription<String> {
    private Buffer line = Buffer.buffer(); // the beginning of an incomplete line
    private Buffer piece = NOTHING;
    private int position;
    private long number;
    private boolean fetching;
    private @Nullable Throwable broken;

    Lines(CoreSubscriber<? super String> subscriber) {
      super(subscriber, task -> context.runOnContext(ignored -> task.run()));
    }

    void start() {
      request.handler(
          next -> {
            fetching = false;
            piece = next;
            position = 0;
            wakeHere();
          });
      request.endHandler(
          end -> {
            ended = true;
            wakeHere();
          });
      request.exceptionHandler(
          failure -> {
            broken = InvalidRequestHandler.ofBody(failure);
            wakeHere();
          });
      subscribe();
    }

    @Override
    public void cancel() {
      if (Context.isOnEventLoopThread() && Vertx.currentContext() == context) {
        super.cancel();
      } else {
        context.runOnContext(ignored -> super.cancel());
      }
    }

    @Override
    protected void release() {
      piece = NOTHING;
      discardRest();
    }

    @Override
    protected boolean yields() {
      return false;
    }

    @Override
    protected void step() {
      try {
        while (!isEnding() && progress()) {}
      } catch (KvException e) {
        terminate(e);
      }
    }

    /** Makes progress if possible; returns false if it has to wait. */
    private boolean progress() {
      if (broken != null) {
        terminate(broken);
        return false;
      }
      if (requested() == 0) {
        return false;
      }
      if (position < piece.length()) {
        take();
        return true;
      }
      if (ended) {
        if (line.length() > 0) {
          next();
        }
        terminate(null);
        return false;
      }
      if (fetching) {
        return false;
      }
      fetching = true;
      request.fetch(1);
      return true;
    }

    /** Consumes the rest of the chunk, or up to the next line end. */
    private void take() {
      int end = position;
      while (end < piece.length() && piece.getByte(end) != '\n') {
        end++;
      }
      if (line.length() + (end - position) > maxLineBytes) {
        throw new KvException(
            KvErrorCode.LIMIT_EXCEEDED,
            "line %d: too long (expected: at most %d bytes)".formatted(number + 1, maxLineBytes));
      }
      share.take(end - position);
      line.appendBuffer(piece, position, end - position);
      boolean whole = end < piece.length();
      position = whole ? end + 1 : end;
      if (whole) {
        next();
      }
    }

    private void next() {
      number++;
      String text = LineText.decode(number, line.getBytes());
      share.give(line.length());
      line = Buffer.buffer();
      emit(text);
    }
  }
}
