package example.engine;

import io.kvreactive.KvLimits;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.KvEngineOptions;
import io.vertx.core.Vertx;
import reactor.core.publisher.Mono;

/** Options for {@code Kv.open}: an empty store in memory. */
record SortedMapOptions(String name, KvLimits limits) implements KvEngineOptions {
  @Override
  public Mono<KvEngine> openEngine(Vertx vertx) {
    return Mono.fromSupplier(() -> new SortedMapEngine(name, limits));
  }
}
