package io.kvreactive.connect.internal;

import io.kvreactive.KvErrorCode;
import io.kvreactive.http.client.AttemptFailure;
import io.kvreactive.http.client.AttemptFailure.Kind;
import io.kvreactive.http.client.HttpCall;
import io.kvreactive.http.client.HttpExchange;
import io.kvreactive.http.client.ResponseCollector;
import io.kvreactive.http.client.ResponseReceiver;
import io.kvreactive.spi.ReadResult;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One response to a watch, until its end. Confined to the event loop. */
final class WatchConnection implements ResponseReceiver {
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

  private final ResponseCollector refusal;
  private final FrameParser frames;
  private final Consumer<AttemptFailure> ended;
  private @Nullable HttpExchange exchange;
  private int status;
  private boolean done;

  WatchConnection(
      HttpCall request,
      int maxFrameBytes,
      WatchedState state,
      Consumer<ReadResult> states,
      Consumer<AttemptFailure> ended) {
    this.ended = ended;
    this.refusal =
        new ResponseCollector(
            request, answer -> failed(ErrorResponses.of(request.uri(), answer)), this::failed);
    this.frames =
        new FrameParser(
            maxFrameBytes,
            frame -> {
              if (!done) {
                states.accept(state.after(frame));
              }
            });
  }

  void of(HttpExchange begun) {
    exchange = begun;
    if (done) {
      begun.cancel();
    }
  }

  @Override
  public void head(int statusCode, MultiMap headers) {
    status = statusCode;
    refusal.head(statusCode, headers);
  }

  @Override
  public void chunk(Buffer bytes) {
    if (status != 200) {
      refusal.chunk(bytes);
    } else if (!done) {
      frames.add(bytes);
    }
  }

  @Override
  public void end() {
    if (status != 200) {
      refusal.end();
    } else {
      failed(
          AttemptFailure.of(
              Kind.NOT_DONE, KvErrorCode.UNAVAILABLE, "the server has ended a watch"));
    }
  }

  @Override
  public void failed(AttemptFailure failure) {
    if (!done) {
      close();
      ended.accept(failure);
    }
  }

  /** Closes the connection without a callback. */
  void close() {
    done = true;
    HttpExchange open = exchange;
    if (open != null) {
      open.cancel();
    }
  }
}
