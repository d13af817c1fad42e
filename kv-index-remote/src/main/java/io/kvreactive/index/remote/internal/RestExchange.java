package io.kvreactive.index.remote.internal;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.index.remote.internal.CallFailure.Kind;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.StreamResetException;
import io.vertx.core.parsetools.RecordParser;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One request and its response. Signals come on the context of the request; {@link #cancel} may be
 * called on any thread.
 */
final class RestExchange {
  private static final int MAX_ANSWER_BYTES = 73 << 20;
  private static final long HTTP2_REFUSED_STREAM = 7; // before the request had any effect

  private final RestCall call;
  private final DatabaseAddress address;
  private final @Nullable Consumer<Buffer> lines;
  private final Consumer<RestAnswer> answered;
  private final Consumer<CallFailure> failed;
  private final Buffer body = Buffer.buffer();
  private volatile boolean done;
  private volatile @Nullable HttpClientRequest sent;

  /**
   * Creates an exchange.
   *
   * @param lines the consumer of the lines of a successful answer; null to collect the answer
   * @param answered the consumer of the answer, whose body is empty if there were lines
   */
  RestExchange(
      RestCall call,
      DatabaseAddress address,
      @Nullable Consumer<Buffer> lines,
      Consumer<RestAnswer> answered,
      Consumer<CallFailure> failed) {
    this.call = call;
    this.address = address;
    this.lines = lines;
    this.answered = answered;
    this.failed = failed;
  }

  void begin(Future<HttpClientRequest> connection) {
    connection.onComplete(
        this::connected, failure -> fail(RestCaller.notConnected(address, failure)));
  }

  private void connected(HttpClientRequest request) {
    request.exceptionHandler(this::lost);
    sent = request;
    if (done) {
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
          if (!done) {
            done = true;
            answered.accept(
                new RestAnswer(response.statusCode(), response.getHeader("Retry-After"), body));
          }
        });
  }

  private void chunk(Buffer bytes) {
    if (body.length() + bytes.length() > MAX_ANSWER_BYTES) {
      refuse();
    } else if (!done) {
      body.appendBuffer(bytes);
    }
  }

  /** Fails because the answer, or a line of it, is too long. */
  private void refuse() {
    String message = "answer of more than " + MAX_ANSWER_BYTES + " bytes from " + address;
    fail(new CallFailure(Kind.FINAL, new KvException(KvErrorCode.LIMIT_EXCEEDED, message), 0));
    cancel();
  }

  private void lost(Throwable failure) {
    Kind kind =
        failure instanceof StreamResetException reset && reset.getCode() == HTTP2_REFUSED_STREAM
            ? Kind.NOT_DONE
            : Kind.UNKNOWN;
    fail(
        CallFailure.unavailable(
            kind, "no answer from " + address + ": " + failure.getMessage(), failure));
  }

  private void fail(CallFailure failure) {
    if (!done) {
      done = true;
      failed.accept(failure);
    }
  }

  /** Resets the request, unless it has been answered. */
  void cancel() {
    done = true;
    HttpClientRequest request = sent;
    if (request != null) {
      request.reset();
    }
  }
}
