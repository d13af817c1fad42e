package example.engine;

import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.kvreactive.testkit.StoreFactory;
import io.vertx.core.Vertx;
import reactor.core.publisher.Mono;

// snippet: factory
/** Opens stores of this engine for the contracts. */
interface OnSortedMap extends StoreFactory {
  @Override
  default boolean durable() {
    return false;
  }

  @Override
  default Mono<Kv> store(Vertx vertx, KvOptions options) {
    return Kv.open(vertx, new SortedMapOptions(options.name(), options.limits()));
  }
}
// end
