package io.kvreactive.web.internal;

import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.internal.http.BodyReader;
import io.kvreactive.web.internal.http.ServerMemory;
import io.kvreactive.web.internal.http.WorkerOffload;
import io.vertx.core.Vertx;

/**
 * The limits on the request bodies that a server processes at a time.
 *
 * @param memory the memory that callers can make the server hold
 * @param offload the workers that parse large bodies
 */
public record BodyLimits(ServerMemory memory, WorkerOffload offload) {
  /** Creates the limits from the options of the routes. */
  static BodyLimits of(Vertx vertx, RoutesOptions options) {
    return new BodyLimits(new ServerMemory(options), new WorkerOffload(vertx));
  }

  /** Returns a handler that reads bodies of at most {@code maxBytes} bytes. */
  public BodyReader reader(int maxBytes) {
    return new BodyReader(memory, maxBytes);
  }
}
