package io.kvreactive.testkit;

import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

/** Opens stores by {@code Kv.connect}, from a server in the same process. */
@ExtendWith(OutOfReach.class)
interface Remote extends StoreFactory.InMemory {
  @Override
  default Mono<Kv> store(Vertx vertx, KvOptions options) {
    return RemoteStores.open(vertx, options);
  }

  @Override
  default boolean deletesRanges() {
    return false;
  }

  @Override
  default Mono<Void> close(Kv store) {
    return RemoteStores.close(store);
  }
}
