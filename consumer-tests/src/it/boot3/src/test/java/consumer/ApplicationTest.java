package consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import consumer.Application.User;
import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.metrics.KvMetrics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

class ApplicationTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final int USERS = 200;

  record Named(String id, String name) {}

  @TempDir Path directory;

  private ConfigurableApplicationContext start() {
    return SpringApplication.run(
        Application.class,
        "--server.port=0",
        "--kv.path=" + directory,
        "--spring.main.banner-mode=off");
  }

  private static WebClient client(ConfigurableApplicationContext application) {
    String port = application.getEnvironment().getProperty("local.server.port");
    return WebClient.create("http://127.0.0.1:" + port);
  }

  private static Flux<User> get(WebClient client, String path) {
    return client.get().uri(path).retrieve().bodyToFlux(User.class);
  }

  private static Mono<Void> put(WebClient client, String id, User user) {
    return client.put().uri("/users/{id}", id).bodyValue(user).retrieve().toBodilessEntity().then();
  }

  @Test
  void streamsAndCloses() {
    Sinks.One<User> first = Sinks.one();
    Mono<List<User>> watched;
    try (ConfigurableApplicationContext application = start()) {
      WebClient client = client(application);
      Flux.range(0, USERS)
          .flatMap(i -> put(client, "%03d".formatted(i), new User("user" + i, i)))
          .blockLast(TIMEOUT);
      List<User> users = get(client, "/users").collectList().block(TIMEOUT);
      assertNotNull(users);
      assertEquals(USERS, users.size());
      assertEquals(new User("user199", 199), users.get(199));

      watched = get(client, "/users/007/watch").doOnNext(first::tryEmitValue).collectList().cache();
      watched.subscribe();
      assertEquals(new User("user7", 7), first.asMono().block(TIMEOUT));
    }
    // a graceful end: the response is complete, not reset
    assertEquals(List.of(new User("user7", 7)), watched.block(TIMEOUT));

    try (ConfigurableApplicationContext application = start()) { // the store was closed
      assertEquals(USERS, get(client(application), "/users").count().block(TIMEOUT));
    }
  }

  @Test
  void runsCollectionsAndMetrics() {
    try (ConfigurableApplicationContext application = start()) {
      Kv kv = application.getBean(Kv.class);
      kv.set(KvKey.of("greeting"), "hello").block(TIMEOUT);
      SimpleMeterRegistry meters = new SimpleMeterRegistry();
      new KvMetrics(kv, "orders").bindTo(meters);
      assertTrue(meters.getMeters().size() > 10, meters::getMetersAsString);

      DocumentStore documents = DocumentStore.over(kv);
      DocumentCollection<Named> people =
          documents.collection("people", Named.class, IndexingPolicy.DEFAULT);
      people.upsert(new Named("1", "Ada")).block(TIMEOUT);
      assertEquals(
          List.of(new Named("1", "Ada")),
          people.query("SELECT * FROM c WHERE c.name = 'Ada'").collectList().block(TIMEOUT));
      documents.close().block(TIMEOUT);
    }
  }
}
