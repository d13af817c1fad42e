package io.kvreactive.examples.readme;

import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRange;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import reactor.core.publisher.Mono;

public class Hello {
  record User(String name, int age) {}

  public static void main(String[] args) {
    Vertx vertx = Vertx.vertx();
    Mono.usingWhen(
            Kv.open(vertx, KvOptions.at(Path.of("data", "hello"))),
            kv ->
                kv.set(KvKey.of("users", "ada"), new User("Ada", 36))
                    .thenMany(kv.list(KvRange.prefix("users"), User.class))
                    .doOnNext(entry -> System.out.println(entry.key() + " " + entry.value()))
                    .then(),
            Kv::close)
        .block(); // block only at the edge of a program
    vertx.close();
  }
}
