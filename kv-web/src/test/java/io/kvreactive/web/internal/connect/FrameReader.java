package io.kvreactive.web.internal.connect;

import com.google.protobuf.InvalidProtocolBufferException;
import io.kvreactive.connect.wire.WatchOutput;
import io.kvreactive.web.TestServer;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Reads the frames of a watch. */
final class FrameReader implements AutoCloseable {
  private final HttpClientResponse response;
  private final BlockingQueue<Object> frames = new LinkedBlockingQueue<>();
  private Buffer rest = Buffer.buffer();

  private enum Sign {
    PING,
    END,
    BROKEN
  }

  /** Creates a reader of a new response, which must not have been read. Thread-safe. */
  FrameReader(HttpClientResponse response) {
    this.response = response;
    response.handler(this::data);
    response.endHandler(ended -> frames.add(Sign.END));
    response.exceptionHandler(failed -> frames.add(Sign.BROKEN));
    response.resume();
  }

  private void data(Buffer data) {
    rest = rest.appendBuffer(data);
    while (rest.length() >= 4 && rest.length() >= 4 + rest.getIntLE(0)) {
      int end = 4 + rest.getIntLE(0);
      frames.add(end == 4 ? Sign.PING : rest.getBytes(4, end));
      rest = rest.getBuffer(end, rest.length());
    }
  }

  private Object take() throws InterruptedException {
    Object frame = frames.poll(TestServer.TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    if (frame == null) {
      throw new AssertionError("no frame");
    }
    return frame;
  }

  /** Returns the next state, past pings. */
  WatchOutput next() throws InterruptedException {
    Object frame = take();
    while (frame == Sign.PING) {
      frame = take();
    }
    if (frame instanceof byte[] bytes) {
      try {
        return WatchOutput.parseFrom(bytes);
      } catch (InvalidProtocolBufferException e) {
        throw new AssertionError(e);
      }
    }
    throw new AssertionError(frame);
  }

  void awaitPing() throws InterruptedException {
    Object frame = take();
    if (frame != Sign.PING) {
      throw new AssertionError("not a ping");
    }
  }

  /** Reads states until an orderly end, and returns their number. */
  int untilEnd() throws InterruptedException {
    int states = 0;
    for (Object frame = take(); frame != Sign.END; frame = take()) {
      if (frame == Sign.BROKEN) {
        throw new AssertionError(frame);
      }
      states += frame == Sign.PING ? 0 : 1;
    }
    return states;
  }

  /** Waits for an orderly end. */
  void awaitEnd() throws InterruptedException {
    Object frame = take();
    while (frame == Sign.PING) {
      frame = take();
    }
    if (frame != Sign.END) {
      throw new AssertionError(frame);
    }
  }

  @Override
  public void close() {
    response.request().reset();
  }
}
