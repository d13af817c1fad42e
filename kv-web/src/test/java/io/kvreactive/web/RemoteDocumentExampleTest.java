package io.kvreactive.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.Kv;
import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvOptions;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.DocumentClientOptions;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentStore;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** The Java examples of docs/collections.md. */
@ExtendWith(VertxExtension.class)
class RemoteDocumentExampleTest {
  private record Person(String id, String country, int age) {}

  // snippet: program
  static Mono<Long> adults(DocumentStore store) { // embedded or remote
    DocumentCollection<Person> people =
        store.collection(
            "people", Person.class, CollectionDefinition.DEFAULT.withPartitionKey("/country"));
    return people
        .upsert(new Person("ada", "uk", 36))
        .thenMany(people.query("SELECT * FROM c WHERE c.age >= @age", Map.of("age", 18)))
        .count();
  }

  // end

  @Test
  void runsEmbeddedAndRemote(Vertx vertx) {
    KvOptions options = KvOptions.inMemory().withName("embedded");
    String token = TestServer.TOKEN;
    try (TestServer server = TestServer.start(vertx)) {
      String url = server.uri("").toString();
      // snippet: choice
      Mono<Long> embedded =
          Mono.usingWhen(Kv.open(vertx, options), kv -> adults(DocumentStore.over(kv)), Kv::close);
      Mono<Long> remote =
          Mono.usingWhen(
              DocumentStore.connect(vertx, url, DocumentClientOptions.token(token)),
              store -> adults(store),
              DocumentStore::close);
      // end
      assertThat(embedded.block(TestServer.TIMEOUT)).isEqualTo(1);
      assertThat(
              remote
                  .retryWhen(
                      Retry.indefinitely().filter(e -> KvError.is(e, KvErrorCode.UNAVAILABLE)))
                  .block(TestServer.TIMEOUT))
          .isEqualTo(1);
    }
  }
}
