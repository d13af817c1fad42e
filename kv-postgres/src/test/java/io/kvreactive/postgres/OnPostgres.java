package io.kvreactive.postgres;

import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.kvreactive.testkit.StoreFactory;
import io.vertx.core.Vertx;
import java.util.UUID;
import reactor.core.publisher.Mono;

/** A schema of the test server, named after the directory of the test. */
interface OnPostgres extends StoreFactory {
  @Override
  default boolean durable() {
    return true;
  }

  @Override
  default Mono<Kv> store(Vertx vertx, KvOptions options) {
    String schema = "t" + UUID.nameUUIDFromBytes(options.name().getBytes());
    return Kv.open(
        vertx,
        TestServer.options(schema)
            .withLimits(options.limits())
            .withMailbox(options.maxQueuedCommits(), options.maxQueuedBytes()));
  }
}
