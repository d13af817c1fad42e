package io.kvreactive.connect.internal;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;

/** Takes an answer as it comes. Called on the loop. */
interface ResponseReceiver {
  /** The first thing that comes, at most once. */
  void head(int status, MultiMap headers);

  void chunk(Buffer bytes);

  /** The last thing that comes; or {@link #failed} is. */
  void end();

  void failed(AttemptFailure failure);
}
