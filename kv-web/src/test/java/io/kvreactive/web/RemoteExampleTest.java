package io.kvreactive.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.CommitResult;
import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.ListOptions;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** The examples of docs/remote.md. */
@ExtendWith(VertxExtension.class)
class RemoteExampleTest {
  private record User(String name, int age) {}

  /** A client gives up an address after some seconds, and a machine may stall for longer. */
  private static final Retry UNTIL_IT_ANSWERS =
      Retry.indefinitely().filter(e -> KvError.is(e, KvErrorCode.UNAVAILABLE));

  private final String token = TestServer.TOKEN;
  private Vertx vertx;
  private TestServer server;
  private String url;

  @BeforeEach
  void start(Vertx vertx) {
    this.vertx = vertx;
    server = TestServer.start(vertx);
    url = server.uri("").toString();
  }

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void connecting() {
    // snippet: connecting
    Flux<String> names =
        Flux.usingWhen(
            Kv.connect(vertx, url, token),
            kv ->
                kv.set(KvKey.of("users", "ada"), new User("Ada", 36))
                    .thenMany(kv.list(KvRange.prefix("users"), User.class))
                    .map(entry -> entry.required().name()),
            Kv::close);
    // end
    assertThat(names.collectList().retryWhen(UNTIL_IT_ANSWERS).block(TestServer.TIMEOUT))
        .containsExactly("Ada");
  }

  @Test
  void onceOnly() {
    Kv kv = Kv.connect(vertx, url, token).retryWhen(UNTIL_IT_ANSWERS).block(TestServer.TIMEOUT);
    // snippet: once
    Mono<CommitResult> visit =
        kv.atomic()
            .sum(KvKey.of("visits"), 1)
            .commitId(UUID.randomUUID().toString())
            .commit(); // sent again automatically if no answer arrives
    // end
    assertThat(visit.block(TestServer.TIMEOUT).committed()).isTrue();

    KvKey order = KvKey.of("orders", 17);
    // snippet: look
    Mono<Boolean> placed = // with any server: look before trying again
        kv.atomic()
            .checkAbsent(order)
            .set(order, "a book")
            .commit()
            .map(CommitResult::committed)
            .onErrorResume(
                e -> KvError.is(e, KvErrorCode.UNAVAILABLE),
                e -> kv.get(order).map(KvEntry::exists));
    // end
    assertThat(placed.block(TestServer.TIMEOUT)).isTrue();

    Mono<Long> count =
        kv.list(KvRange.prefix("orders"), ListOptions.DEFAULT.withKeysOnly(true)).count();
    assertThat(count.block(TestServer.TIMEOUT)).isEqualTo(1);
    kv.close().block(TestServer.TIMEOUT);
  }
}
