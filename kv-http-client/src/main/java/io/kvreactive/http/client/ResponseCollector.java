package io.kvreactive.http.client;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.util.function.Consumer;

/** A receiver that collects the response, up to the maximum size of the call. */
public class ResponseCollector implements ResponseReceiver {
  private final HttpCall call;
  private final Consumer<HttpAnswer> answered;
  private final Consumer<? super AttemptFailure> failed;
  private final Buffer body = Buffer.buffer();
  private int status;
  private MultiMap headers = MultiMap.caseInsensitiveMultiMap();

  public ResponseCollector(
      HttpCall call, Consumer<HttpAnswer> answered, Consumer<? super AttemptFailure> failed) {
    this.call = call;
    this.answered = answered;
    this.failed = failed;
  }

  @Override
  public void head(int statusCode, MultiMap received) {
    status = statusCode;
    headers = received;
  }

  @Override
  public void chunk(Buffer bytes) {
    if (body.length() + bytes.length() > call.limits().maxBytes()) {
      throw AttemptFailure.tooLarge(call);
    }
    body.appendBuffer(bytes);
  }

  @Override
  public void end() {
    answered.accept(new HttpAnswer(status, headers, body));
  }

  @Override
  public void failed(AttemptFailure failure) {
    failed.accept(failure);
  }
}
