package io.kvreactive.web.internal;

import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.internal.http.Aside;
import io.kvreactive.web.internal.http.BodyReader;
import io.kvreactive.web.internal.http.ServerMemory;
import io.vertx.core.Vertx;

/**
 * What a server takes in at a time, whoever sends it.
 *
 * @param memory what callers can make the server hold
 * @param aside where large ones are read
 */
public record Intake(ServerMemory memory, Aside aside) {
  /** Of some routes. */
  static Intake of(Vertx vertx, RoutesOptions options) {
    return new Intake(new ServerMemory(options), new Aside(vertx));
  }

  /** A handler that reads bodies of at most so many bytes. */
  public BodyReader reader(int maxBytes) {
    return new BodyReader(memory, maxBytes);
  }
}
