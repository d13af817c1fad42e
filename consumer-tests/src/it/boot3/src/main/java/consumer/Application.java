package consumer;

import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRange;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

@SpringBootApplication
public class Application {
  public static void main(String[] arguments) {
    SpringApplication.run(Application.class, arguments);
  }

  // snippet: springBeans
  @Bean
  Vertx vertx() {
    return Vertx.vertx();
  }

  @Bean // Spring calls close() before it closes vertx, and waits for it
  Kv kv(Vertx vertx, @Value("${kv.path}") Path path) {
    return Kv.open(vertx, KvOptions.at(path)).block(Duration.ofMinutes(1));
  }

  // end

  // snippet: springController
  record User(String name, int age) {}

  @RestController
  static class Users {
    private final Kv kv;
    private final Sinks.Empty<Void> closing = Sinks.empty();

    Users(Kv kv) {
      this.kv = kv;
    }

    @PutMapping("/users/{id}")
    Mono<Void> put(@PathVariable("id") String id, @RequestBody User user) {
      return kv.set(KvKey.of("users", id), user).then();
    }

    @GetMapping(path = "/users", produces = MediaType.APPLICATION_NDJSON_VALUE)
    Flux<User> list() {
      return kv.list(KvRange.prefix("users"), User.class).map(KvEntry::required);
    }

    @GetMapping(path = "/users/{id}/watch", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    Flux<User> watch(@PathVariable("id") String id) {
      return kv.watch(KvKey.of("users", id), User.class)
          .mapNotNull(KvEntry::value)
          .takeUntilOther(closing.asMono());
    }

    /** Ends the endless responses, for which the server would wait before it stops. */
    @EventListener(ContextClosedEvent.class)
    void close() {
      closing.tryEmitEmpty();
    }
  }
  // end
}
