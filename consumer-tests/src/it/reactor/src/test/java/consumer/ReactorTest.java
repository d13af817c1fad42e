package consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRange;
import io.kvreactive.VertxBridge;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.spi.SLF4JServiceProvider;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

class ReactorTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  record User(String name, int age) {}

  @TempDir Path directory;

  @Test
  void composesWithSchedulersOfReactor() {
    Mono<List<User>> users =
        Mono.usingWhen(
            Mono.fromSupplier(Vertx::vertx),
            vertx ->
                Mono.usingWhen(
                    Kv.open(vertx, KvOptions.at(directory)), ReactorTest::storeAndList, Kv::close),
            vertx -> VertxBridge.mono(vertx::close));
    assertEquals(100, users.block(TIMEOUT).size());
    assertEquals(new User("user99", 99), users.block(TIMEOUT).get(99));
  }

  private static Mono<List<User>> storeAndList(Kv kv) {
    return Flux.range(0, 100)
        .parallel()
        .runOn(Schedulers.parallel())
        .flatMap(i -> kv.set(KvKey.of("users", i), new User("user" + i, i)))
        .sequential()
        .thenMany(kv.list(KvRange.prefix("users"), User.class))
        .publishOn(Schedulers.boundedElastic())
        .map(entry -> entry.value())
        .collectList();
  }

  @Test
  void bringsNoBindingOfSlf4j() {
    assertTrue(ServiceLoader.load(SLF4JServiceProvider.class).findFirst().isEmpty());
  }
}
