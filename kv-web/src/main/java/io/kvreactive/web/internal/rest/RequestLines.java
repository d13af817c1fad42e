package io.kvreactive.web.internal.rest;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.web.internal.http.ByteBudget;
import io.kvreactive.web.internal.http.InvalidRequestHandler;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
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
final class RequestLines extends Flux<String> implements Subscription {
  private static final Buffer NOTHING = Buffer.buffer();

  private final HttpServerRequest request;
  private final int maxLineBytes;
  private final ByteBudget.Share share; // bytes of an incomplete line
  private final Context context;
  private final AtomicLong demand = new AtomicLong();
  private volatile boolean cancelled;
  private Buffer line = Buffer.buffer(); // the beginning of an incomplete line

  // confined to the event loop
  private @Nullable CoreSubscriber<? super String> subscriber;
  private Buffer piece = NOTHING;
  private int position;
  private long number;
  private boolean fetching;
  private boolean ended;
  private boolean done;
  private boolean emitting;
  private @Nullable Throwable broken;

  RequestLines(HttpServerRequest request, int maxLineBytes, ByteBudget.Share share) {
    this.share = share;
    this.request = request.pause();
    this.maxLineBytes = maxLineBytes;
    Context current = Vertx.currentContext();
    if (current == null) {
      throw new IllegalStateException("not on a Vert.x context");
    }
    this.context = current;
  }

  @Override
  public void subscribe(CoreSubscriber<? super String> actual) {
    if (subscriber != null) {
      Operators.error(actual, new IllegalStateException("a body is read once"));
      return;
    }
    subscriber = actual;
    request.handler(this::arrived);
    request.endHandler(
        end -> {
          ended = true;
          emit();
        });
    request.exceptionHandler(
        failure -> {
          broken = InvalidRequestHandler.ofBody(failure);
          emit();
        });
    actual.onSubscribe(this);
  }

  @Override
  public void request(long n) {
    if (Operators.validate(n)) {
      demand.accumulateAndGet(n, Operators::addCap);
      if (!isHere() || !emitting) { // otherwise the emitting loop handles it
        context.runOnContext(ignored -> emit());
      }
    }
  }

  private boolean isHere() {
    return Context.isOnEventLoopThread() && Vertx.currentContext() == context;
  }

  @Override
  public void cancel() {
    cancelled = true;
    context.runOnContext(ignored -> finish());
  }

  private void finish() {
    done = true;
    piece = NOTHING;
    if (!ended) {
      request.handler(rest -> {});
      request.resume();
    }
  }

  private void arrived(Buffer next) {
    fetching = false;
    piece = next;
    position = 0;
    emit();
  }

  private void emit() {
    if (emitting || done || cancelled || subscriber == null) {
      return;
    }
    emitting = true;
    try {
      while (!done && !cancelled && step(subscriber)) {}
    } catch (KvException e) {
      finish();
      subscriber.onError(e);
    } finally {
      emitting = false;
    }
  }

  /** Makes progress if possible; returns false if it has to wait. */
  private boolean step(CoreSubscriber<? super String> to) {
    if (broken != null) {
      finish();
      to.onError(broken);
      return false;
    }
    if (demand.get() == 0) {
      return false;
    }
    if (position < piece.length()) {
      take(to);
      return true;
    }
    if (ended) {
      if (line.length() > 0) {
        next(to);
      }
      if (!done && !cancelled) {
        done = true;
        to.onComplete();
      }
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
  private void take(CoreSubscriber<? super String> to) {
    int end = position;
    while (end < piece.length() && piece.getByte(end) != '\n') {
      end++;
    }
    if (line.length() + (end - position) > maxLineBytes) {
      throw new KvException(
          KvErrorCode.LIMIT_EXCEEDED,
          "line %d: longer than %d bytes (expected: at most that)"
              .formatted(number + 1, maxLineBytes));
    }
    share.take(end - position);
    line.appendBuffer(piece, position, end - position);
    boolean whole = end < piece.length();
    position = whole ? end + 1 : end;
    if (whole) {
      next(to);
    }
  }

  private void next(CoreSubscriber<? super String> to) {
    number++;
    String text = LineText.decode(number, line.getBytes());
    share.give(line.length());
    line = Buffer.buffer();
    if (demand.get() != Long.MAX_VALUE) {
      demand.decrementAndGet();
    }
    to.onNext(text);
  }
}
