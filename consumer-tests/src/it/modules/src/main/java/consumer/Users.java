package consumer;

import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.VertxBridge;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentStore;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Stores users as values and as items. */
final class Users {
  record User(String id, String name) {}

  private Users() {}

  static Mono<List<User>> storeAndRead(Path directory) {
    return Mono.usingWhen(
        Mono.fromSupplier(Vertx::vertx),
        vertx ->
            Mono.usingWhen(
                Kv.open(vertx, KvOptions.at(directory)), Users::storeAndRead, Kv::close),
        vertx -> VertxBridge.mono(vertx::close));
  }

  private static Mono<List<User>> storeAndRead(Kv kv) {
    DocumentCollection<User> users =
        DocumentStore.over(kv).collection("users", User.class, CollectionDefinition.DEFAULT);
    return kv.set(KvKey.of("users", 1), new User("1", "Ada"))
        .then(users.create(new User("2", "Grace")))
        .thenMany(
            Flux.concat(
                kv.get(KvKey.of("users", 1), User.class).map(entry -> entry.value()),
                users.query("SELECT * FROM c WHERE c.name = @name", Map.of("name", "Grace"))))
        .collectList();
  }
}
