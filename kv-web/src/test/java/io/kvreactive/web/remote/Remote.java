package io.kvreactive.web.remote;

import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.kvreactive.testkit.StoreFactory;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

/** Opens stores by {@code Kv.connect}, from a server in the same process. */
@ExtendWith(OutOfReach.class)
interface Remote extends StoreFactory {
  @Override
  default boolean durable() {
    return false;
  }

  @Override
  default KvOptions options(Path directory) {
    return KvOptions.inMemory().withName("memory-" + UUID.randomUUID());
  }

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
