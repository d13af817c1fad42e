package io.kvreactive.web.internal;

import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.internal.http.BodyReader;
import io.kvreactive.web.internal.http.ServerMemory;
import io.kvreactive.web.internal.http.WorkerOffload;
import io.vertx.core.Vertx;

/**
 * What a server takes in at a time, whoever sends it.
 *
 * @param memory what callers can make the server hold
 * @param offload where large ones are read
 */
public record BodyLimits(ServerMemory memory, WorkerOffload offload) {
  /** Of some routes. */
  static BodyLimits of(Vertx vertx, RoutesOptions options) {
    return new BodyLimits(new ServerMemory(options), new WorkerOffload(vertx));
  }

  /** A handler that reads bodies of at most so many bytes. */
  public BodyReader reader(int maxBytes) {
    return new BodyReader(memory, maxBytes);
  }
}
