package io.kvreactive.http.client;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;

/**
 * A consumer of a response as it arrives. Called on the context of the exchange, except for a
 * failure by {@link HttpTransport#close}.
 */
public interface ResponseReceiver {
  /** Receives the head: the first signal, at most once. */
  void head(int status, MultiMap headers);

  /**
   * Receives a part of the body.
   *
   * @throws AttemptFailure to abort the exchange with this failure
   */
  void chunk(Buffer bytes);

  /** Receives the end: the last signal, unless {@link #failed} is called. */
  void end();

  void failed(AttemptFailure failure);
}
