package io.kvreactive.web.internal;

import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.internal.http.Aside;
import io.kvreactive.web.internal.http.BodyReader;
import io.kvreactive.web.internal.http.ByteBudget;
import io.vertx.core.Vertx;

/**
 * What a server takes in at a time, whoever sends it.
 *
 * @param bodies the bytes of bodies that are held
 * @param aside where large ones are read
 */
public record Intake(ByteBudget bodies, Aside aside) {
  /** Of some routes. */
  static Intake of(Vertx vertx, RoutesOptions options) {
    long most = Math.max(options.maxBodiesBytes(), options.maxBodyBytes()); // or none would fit
    return new Intake(new ByteBudget("bodies of requests", most), new Aside(vertx));
  }

  /** A handler that reads bodies of at most so many bytes. */
  public BodyReader reader(int maxBytes) {
    return new BodyReader(bodies, maxBytes);
  }
}
