package io.kvreactive.connect.internal;

import io.kvreactive.KvErrorCode;
import io.kvreactive.connect.internal.AttemptFailure.Kind;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.StreamResetException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One request and its response, which is passed on as it arrives. Confined to the event loop. */
final class HttpExchange {
  private static final long HTTP2_REFUSED_STREAM = 7; // before the request had any effect
  private static final long HTTP2_CANCEL = 8;

  private final ClientEventLoop loop;
  private final HttpPost request;
  private final ResponseReceiver receiver;
  private final Consumer<HttpExchange> ended;
  private @Nullable HttpClientRequest sent;
  private boolean headCame;
  private boolean done;
  private boolean unwanted;
  private long taken;
  private long timer;

  /**
   * @param ended the callback for the end, called once
   */
  HttpExchange(
      ClientEventLoop loop,
      HttpPost request,
      ResponseReceiver receiver,
      Consumer<HttpExchange> ended) {
    this.loop = loop;
    this.request = request;
    this.receiver = receiver;
    this.ended = ended;
    this.timer = loop.after(request.headMillis(), this::late);
  }

  /** Continues with a connection. */
  void connected(HttpClientRequest opened) {
    opened.exceptionHandler(this::lost); // otherwise Vert.x logs the cancelled request as an error
    if (done) {
      opened.reset(HTTP2_CANCEL);
      return;
    }
    sent = opened;
    opened.response().onComplete(this::answered, this::lost);
    opened.end(request.body()).onFailure(this::lost);
  }

  /** Fails because there is no connection. */
  void notConnected(Throwable failure) {
    if (failure instanceof ConnectionPoolTooBusyException) {
      fail(
          AttemptFailure.of(
              Kind.FINAL, KvErrorCode.OVERLOADED, "too many requests wait for a connection"));
    } else {
      fail(
          AttemptFailure.unavailable(
              Kind.NOT_DONE,
              "cannot connect to " + request.uri() + ": " + failure.getMessage(),
              failure));
    }
  }

  private void answered(HttpClientResponse response) {
    if (done) {
      return;
    }
    headCame = true;
    loop.cancel(timer);
    if (request.totalMillis() > 0) {
      timer = loop.after(request.totalMillis(), this::late);
    }
    response.exceptionHandler(this::lost);
    response.handler(this::chunk);
    response.endHandler(ignored -> completed());
    receiver.head(response.statusCode(), response.headers());
  }

  private void chunk(Buffer bytes) {
    if (done) {
      return;
    }
    taken += bytes.length();
    if (request.totalMillis() > 0 && taken > request.maxAnswerBytes()) {
      fail(
          AttemptFailure.of(
              Kind.TOO_LARGE,
              KvErrorCode.LIMIT_EXCEEDED,
              "answer of more than " + request.maxAnswerBytes() + " bytes from " + request.uri()));
      resetStream();
      return;
    }
    receiver.chunk(bytes);
  }

  private void completed() {
    if (finish()) {
      receiver.end();
    }
  }

  private void lost(Throwable failure) {
    Kind kind =
        failure instanceof StreamResetException reset && reset.getCode() == HTTP2_REFUSED_STREAM
            ? Kind.NOT_DONE
            : Kind.UNKNOWN;
    fail(
        AttemptFailure.unavailable(
            kind, "no answer from " + request.uri() + ": " + failure.getMessage(), failure));
  }

  private void late() {
    Kind kind = sent == null ? Kind.NOT_DONE : Kind.UNKNOWN;
    long waited = headCame ? request.totalMillis() : request.headMillis();
    fail(
        AttemptFailure.unavailable(
            kind, "no answer from " + request.uri() + " within " + waited + " ms", null));
    resetStream();
  }

  /** Aborts the exchange because the client is closed. */
  void abort() {
    boolean mayBeDone = sent != null && !request.reset();
    fail(
        mayBeDone
            ? AttemptFailure.unavailable(
                Kind.FINAL, "closed before the server answered", ClientEventLoop.closed())
            : AttemptFailure.of(Kind.FINAL, ClientEventLoop.closed()));
    resetStream();
  }

  /** Cancels the exchange because the response is no longer needed. */
  void cancel() {
    if (done) {
      return;
    }
    if (sent == null || request.reset()) {
      finish();
      resetStream();
    } else {
      unwanted = true;
    }
  }

  private void fail(AttemptFailure failure) {
    if (finish() && !unwanted) {
      receiver.failed(failure);
    }
  }

  private boolean finish() {
    if (done) {
      return false;
    }
    done = true;
    loop.cancel(timer);
    ended.accept(this);
    return true;
  }

  private void resetStream() {
    HttpClientRequest stream = sent;
    if (stream != null) {
      stream.reset(HTTP2_CANCEL);
    }
  }
}
