package io.kvreactive.index.remote.internal;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.index.remote.internal.CallFailure.Kind;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.StreamResetException;
import io.vertx.core.parsetools.RecordParser;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One request and its response. Exactly one signal comes, on the context of the request or of its
 * timer; {@link #cancel} may be called on any thread.
 */
final class RestExchange {
  private static final int MAX_ANSWER_BYTES = 73 << 20;
  private static final long HTTP2_REFUSED_STREAM = 7; // before the request had any effect

  private static final long NO_TIMER = -1;

  private final Vertx vertx;
  private final RestCall call;
  private final DatabaseAddress address;
  private final @Nullable Consumer<Buffer> lines;
  private final Consumer<RestAnswer> answered;
  private final Consumer<CallFailure> failed;
  private final Buffer body = Buffer.buffer();
  private final AtomicBoolean done = new AtomicBoolean();
  private volatile @Nullable HttpClientRequest sent;
  private volatile long timer = NO_TIMER;

  /**
   * Creates an exchange.
   *
   * @param lines the consumer of the lines of a successful answer; null to collect the answer
   * @param answered the consumer of the answer, whose body is empty if there were lines
   */
  RestExchange(
      Vertx vertx,
      RestCall call,
      DatabaseAddress address,
      @Nullable Consumer<Buffer> lines,
      Consumer<RestAnswer> answered,
      Consumer<CallFailure> failed) {
    this.vertx = vertx;
    this.call = call;
    this.address = address;
    this.lines = lines;
    this.answered = answered;
    this.failed = failed;
  }

  /** Sends the request, and fails unless the answer is complete after a time. */
  void begin(Future<HttpClientRequest> connection, Duration time) {
    begin(connection);
    if (!done.get()) {
      timer = vertx.setTimer(time.toMillis(), fired -> late(time));
      if (done.get()) {
        cancelTimer(); // the end came before the timer was known
      }
    }
  }

  private void late(Duration time) {
    if (end()) {
      String message = "no answer from %s within %d ms".formatted(address, time.toMillis());
      failed.accept(CallFailure.unavailable(Kind.UNKNOWN, message, new TimeoutException(message)));
      reset();
    }
  }

  void begin(Future<HttpClientRequest> connection) {
    connection.onComplete(
        this::connected, failure -> fail(RestCaller.notConnected(address, failure)));
  }

  private void connected(HttpClientRequest request) {
    request.exceptionHandler(this::lost);
    sent = request;
    if (done.get()) {
      request.reset();
      return;
    }
    request.response().onComplete(this::head, this::lost);
    Buffer content = call.body();
    (content == null ? request.end() : request.end(content)).onFailure(this::lost);
  }

  private void head(HttpClientResponse response) {
    Consumer<Buffer> consumer = response.statusCode() < 300 ? lines : null;
    response.exceptionHandler(this::lost);
    if (consumer == null) {
      response.handler(this::chunk);
    } else {
      RecordParser split = RecordParser.newDelimited("\n", consumer::accept);
      split.maxRecordSize(MAX_ANSWER_BYTES);
      split.exceptionHandler(tooLong -> refuse());
      response.handler(split);
    }
    response.endHandler(
        end -> {
          if (end()) {
            answered.accept(
                new RestAnswer(response.statusCode(), response.getHeader("Retry-After"), body));
          }
        });
  }

  private void chunk(Buffer bytes) {
    if (body.length() + bytes.length() > MAX_ANSWER_BYTES) {
      refuse();
    } else if (!done.get()) {
      body.appendBuffer(bytes);
    }
  }

  /** Fails because the answer, or a line of it, is too long. */
  private void refuse() {
    String message = "answer of more than " + MAX_ANSWER_BYTES + " bytes from " + address;
    fail(new CallFailure(Kind.FINAL, new KvException(KvErrorCode.LIMIT_EXCEEDED, message), 0));
    reset();
  }

  private void lost(Throwable failure) {
    Kind kind =
        failure instanceof StreamResetException reset && reset.getCode() == HTTP2_REFUSED_STREAM
            ? Kind.NOT_DONE
            : Kind.UNKNOWN;
    String why = failure.getMessage(); // null if the connection had ended before
    fail(
        CallFailure.unavailable(
            kind,
            "no answer from %s: %s".formatted(address, why == null ? "connection closed" : why),
            failure));
  }

  private void fail(CallFailure failure) {
    if (end()) {
      failed.accept(failure);
    }
  }

  /** Returns true for the first end. */
  private boolean end() {
    if (!done.compareAndSet(false, true)) {
      return false;
    }
    cancelTimer();
    return true;
  }

  private void cancelTimer() {
    if (timer != NO_TIMER) {
      vertx.cancelTimer(timer);
    }
  }

  /** Resets the request, unless it has been answered. */
  void cancel() {
    var unused = end();
    reset();
  }

  private void reset() {
    HttpClientRequest request = sent;
    if (request != null) {
      request.reset();
    }
  }
}
