package io.kvreactive.connect.internal;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import reactor.core.publisher.MonoSink;

/** Collects a complete response. */
final class ResponseCollector implements ResponseReceiver {
  private final MonoSink<HttpAnswer> sink;
  private final Buffer body = Buffer.buffer();
  private int status;
  private MultiMap headers = MultiMap.caseInsensitiveMultiMap();

  ResponseCollector(MonoSink<HttpAnswer> sink) {
    this.sink = sink;
  }

  @Override
  public void head(int statusCode, MultiMap answered) {
    status = statusCode;
    headers = answered;
  }

  @Override
  public void chunk(Buffer bytes) {
    body.appendBuffer(bytes);
  }

  @Override
  public void end() {
    sink.success(new HttpAnswer(status, headers, body));
  }

  @Override
  public void failed(AttemptFailure failure) {
    sink.error(failure);
  }
}
