package io.kvreactive.connect.internal;

import io.kvreactive.KvErrorCode;
import io.kvreactive.http.client.AttemptFailure;
import io.kvreactive.http.client.AttemptFailure.Kind;
import io.kvreactive.http.client.ClientEventLoop;
import io.kvreactive.http.client.HttpAnswer;
import io.kvreactive.http.client.HttpExchange;
import io.kvreactive.http.client.ResponseReceiver;
import io.kvreactive.spi.ReadResult;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.net.URI;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One response to a watch, until its end. Confined to the event loop. */
final class WatchConnection implements ResponseReceiver {
  private static final int MAX_ERROR_BYTES = 64 << 10;

  /** Opens a watch on a server. */
  interface Opener {
    /**
     * @param states the consumer of states
     * @param ended the callback for the reason of the end, called once unless this connection was
     *     closed
     */
    WatchConnection open(
        DatabaseMetadata metadata,
        int endpoint,
        Consumer<ReadResult> states,
        Consumer<AttemptFailure> ended);
  }

  private final ClientEventLoop loop;
  private final URI uri;
  private final long silenceMillis;
  private final Consumer<AttemptFailure> ended;
  private final FrameParser frames;
  private final Buffer error = Buffer.buffer();
  private @Nullable HttpExchange exchange;
  private MultiMap headers = MultiMap.caseInsensitiveMultiMap();
  private int status;
  private boolean heard;
  private boolean done;
  private long timer;

  WatchConnection(
      ClientEventLoop loop,
      URI uri,
      RemoteOptions options,
      int maxFrameBytes,
      WatchedState state,
      Consumer<ReadResult> states,
      Consumer<AttemptFailure> ended) {
    this.loop = loop;
    this.uri = uri;
    this.silenceMillis = options.silenceMillis();
    this.ended = ended;
    this.frames =
        new FrameParser(
            maxFrameBytes,
            frame -> {
              if (!done) {
                states.accept(state.after(frame));
              }
            });
    this.timer = loop.after(silenceMillis, this::listen);
  }

  void of(HttpExchange begun) {
    exchange = begun;
    if (done) {
      begun.cancel();
    }
  }

  @Override
  public void head(int statusCode, MultiMap answered) {
    status = statusCode;
    headers = answered;
    heard = true;
  }

  @Override
  public void chunk(Buffer bytes) {
    heard = true;
    if (done) {
      return;
    }
    if (status != 200) {
      if (error.length() + bytes.length() <= MAX_ERROR_BYTES) {
        error.appendBuffer(bytes);
      }
      return;
    }
    frames.add(bytes);
  }

  @Override
  public void end() {
    lost(
        status == 200
            ? AttemptFailure.of(
                Kind.NOT_DONE, KvErrorCode.UNAVAILABLE, "the server has ended a watch")
            : ErrorResponses.of(uri, new HttpAnswer(status, headers, error)));
  }

  @Override
  public void failed(AttemptFailure failure) {
    lost(failure);
  }

  /** Restarts the timeout for silence: servers send a frame every few seconds. */
  private void listen() {
    if (heard || status == 0) { // without a head, the timeout of the exchange applies
      heard = false;
      timer = loop.after(silenceMillis, this::listen);
    } else {
      lost(
          AttemptFailure.of(
              Kind.NOT_DONE,
              KvErrorCode.UNAVAILABLE,
              "nothing from " + uri + " for " + silenceMillis + " ms"));
    }
  }

  private void lost(AttemptFailure failure) {
    if (!done) {
      close();
      ended.accept(failure);
    }
  }

  /** Closes the connection without a callback. */
  void close() {
    done = true;
    loop.cancel(timer);
    HttpExchange open = exchange;
    if (open != null) {
      open.cancel();
    }
  }
}
