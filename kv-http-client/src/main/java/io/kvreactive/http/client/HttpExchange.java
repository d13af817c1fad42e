package io.kvreactive.http.client;

import io.kvreactive.KvErrorCode;
import io.kvreactive.http.client.AttemptFailure.Kind;
import io.kvreactive.http.client.HttpCall.Limits;
import io.kvreactive.http.client.HttpCall.Safety;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.StreamResetException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One request and its response, which is passed on as it arrives. It runs on the Vert.x context
 * that begins it. {@link #cancel} and {@link #abort} are thread-safe.
 */
public final class HttpExchange {
  private static final long HTTP2_REFUSED_STREAM = 7; // before the request had any effect
  private static final long HTTP2_CANCEL = 8;
  private static final long NO_TIMER = -1;

  private final Vertx vertx;
  private final HttpCall call;
  private final ResponseReceiver receiver;
  private final Consumer<HttpExchange> ended;
  private final long began = System.nanoTime();
  private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
  private volatile @Nullable HttpClientRequest sent; // if the state is not WAITING
  private volatile boolean unwanted;
  private volatile boolean heard; // a byte of the response, since the timer was started
  private volatile long timer = NO_TIMER;

  private enum State {
    /** There is no connection yet. */
    WAITING,
    /** The request is sent. */
    SENT,
    DONE
  }

  /**
   * @param ended the callback for the end, called once
   */
  HttpExchange(
      Vertx vertx, HttpCall call, ResponseReceiver receiver, Consumer<HttpExchange> ended) {
    this.vertx = vertx;
    this.call = call;
    this.receiver = receiver;
    this.ended = ended;
  }

  /** Sends the request when there is a connection. */
  void begin(Future<HttpClientRequest> connection) {
    Limits limits = call.limits();
    long millis = limits.headMillis() > 0 ? limits.headMillis() : limits.totalMillis();
    fireWithin(millis > 0 ? millis : limits.idleMillis());
    connection.onComplete(this::connected, this::notConnected);
  }

  /** Limits the time since the beginning; 0 removes the limit. */
  private void fireWithin(long millis) {
    cancelTimer();
    if (millis > 0) {
      long elapsed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
      start(millis - elapsed, () -> late(millis));
    }
  }

  /** Limits the time without a byte of the response. */
  private void fireInSilence(long millis) {
    cancelTimer();
    heard = false;
    start(
        millis,
        () -> {
          if (heard) {
            fireInSilence(millis);
          } else {
            late(millis);
          }
        });
  }

  private void start(long millis, Runnable fired) {
    timer = vertx.setTimer(Math.max(1, millis), id -> fired.run());
    if (isDone()) {
      cancelTimer(); // the end came before the timer was known
    }
  }

  private void cancelTimer() {
    long running = timer;
    if (running != NO_TIMER) {
      vertx.cancelTimer(running);
    }
  }

  private void connected(HttpClientRequest opened) {
    opened.exceptionHandler(this::lost); // otherwise Vert.x logs the cancelled request as an error
    sent = opened;
    if (!state.compareAndSet(State.WAITING, State.SENT)) {
      reset();
      return;
    }
    opened.response().onComplete(this::head, this::lost);
    Buffer body = call.body();
    (body == null ? opened.end() : opened.end(body)).onFailure(this::lost);
  }

  private void notConnected(Throwable failure) {
    fail(notConnected(ServerUrls.origin(call.uri()), failure));
  }

  /** Returns the failure of an attempt that got no connection. */
  static AttemptFailure notConnected(String origin, Throwable failure) {
    return failure instanceof ConnectionPoolTooBusyException
        ? AttemptFailure.of(
            Kind.FINAL,
            KvErrorCode.OVERLOADED,
            "too many requests wait for a connection to " + origin)
        : AttemptFailure.unavailable(
            Kind.NOT_DONE, "cannot connect to " + origin + ": " + failure.getMessage(), failure);
  }

  private void head(HttpClientResponse response) {
    if (isDone()) {
      return;
    }
    Limits limits = call.limits();
    if (limits.totalMillis() == 0 && limits.idleMillis() > 0) {
      fireInSilence(limits.idleMillis());
    } else {
      fireWithin(limits.totalMillis());
    }
    response.exceptionHandler(this::lost);
    response.handler(this::chunk);
    response.endHandler(
        complete -> {
          if (end()) {
            receiver.end();
          }
        });
    guarded(() -> receiver.head(response.statusCode(), response.headers()));
  }

  private void chunk(Buffer bytes) {
    heard = true;
    if (isDone()) {
      return;
    }
    guarded(() -> receiver.chunk(bytes));
  }

  private void guarded(Runnable signal) {
    try {
      signal.run();
    } catch (AttemptFailure refused) {
      fail(refused);
      reset();
    } catch (RuntimeException defect) { // of the receiver; the call must end all the same
      fail(AttemptFailure.unavailable(Kind.FINAL, "the answer cannot be read", defect));
      reset();
    }
  }

  private void lost(Throwable failure) {
    boolean isRefused =
        failure instanceof StreamResetException reset && reset.getCode() == HTTP2_REFUSED_STREAM;
    String why = failure.getMessage(); // null if the connection had ended before
    fail(
        AttemptFailure.unavailable(
            isRefused ? Kind.NOT_DONE : Kind.UNKNOWN,
            "no answer from %s: %s"
                .formatted(ServerUrls.origin(call.uri()), why == null ? "connection closed" : why),
            failure));
  }

  private void late(long millis) {
    if (end()) { // nothing is sent any more
      signal(
          AttemptFailure.unavailable(
              sent == null ? Kind.NOT_DONE : Kind.UNKNOWN,
              "no answer from %s within %d ms".formatted(ServerUrls.origin(call.uri()), millis),
              null));
      reset();
    }
  }

  /** Aborts the exchange because the client is closed. */
  void abort() {
    if (end()) {
      signal(
          sent != null && call.safety() != Safety.REPEATABLE
              ? AttemptFailure.unavailable(
                  Kind.FINAL, "closed before the server answered", HttpTransport.closed())
              : AttemptFailure.closed());
      reset();
    }
  }

  /** Cancels the exchange because the response is no longer needed. Idempotent. */
  public void cancel() {
    if (state.compareAndSet(State.WAITING, State.DONE)) {
      ended();
      reset(); // a connection that has just come
    } else if (!call.resetOnCancel()) {
      unwanted = true;
    } else if (end()) {
      reset();
    }
  }

  private void fail(AttemptFailure failure) {
    if (end()) {
      signal(failure);
    }
  }

  private void signal(AttemptFailure failure) {
    if (!unwanted) {
      receiver.failed(failure);
    }
  }

  /** Returns true for the first end. */
  private boolean end() {
    if (state.getAndSet(State.DONE) == State.DONE) {
      return false;
    }
    ended();
    return true;
  }

  private void ended() {
    cancelTimer();
    ended.accept(this);
  }

  private boolean isDone() {
    return state.get() == State.DONE;
  }

  private void reset() {
    HttpClientRequest request = sent;
    if (request != null) {
      request.reset(HTTP2_CANCEL);
    }
  }
}
