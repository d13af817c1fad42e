package io.kvreactive.web.internal.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.EnqueueOptions;
import io.kvreactive.KvOptions;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.LeasedMessage;
import io.kvreactive.web.ChangedEngine;
import io.kvreactive.web.Conditions;
import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.internal.auth.AccessRight;
import io.kvreactive.web.internal.auth.Grant;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

/** Claims whose messages arrive after their caller has disconnected. */
@ExtendWith(VertxExtension.class)
class LateClaimTest {
  private final Queue<Runnable> deliveries = new ConcurrentLinkedQueue<>();
  private final TestServerContext site;

  LateClaimTest(Vertx vertx) throws Exception {
    site = new TestServerContext(vertx, this::delivering);
  }

  @AfterEach
  void close() {
    site.close();
  }

  /**
   * Returns an engine whose deliveries the test starts. A cancel before the start is too late for
   * the engine.
   */
  private KvEngine delivering(KvEngine engine) {
    return ChangedEngine.of(engine, "claim", this::late);
  }

  private Mono<List<LeasedMessage>> late(Mono<List<LeasedMessage>> claim) {
    return new Mono<>() {
      @Override
      public void subscribe(CoreSubscriber<? super List<LeasedMessage>> actual) {
        actual.onSubscribe(Operators.emptySubscription());
        claim.subscribe(
            messages ->
                deliveries.add(
                    () -> {
                      actual.onNext(messages);
                      actual.onComplete();
                    }));
      }
    };
  }

  private void enqueue() {
    site.kv.queues().enqueue("m", EnqueueOptions.DEFAULT.withQueue("q")).block(TestServer.TIMEOUT);
  }

  /** A second claim, on the store itself, gets the message long before a lease of an hour ends. */
  private void isGivenBack() {
    List<LeasedMessage> again = site.kv.engine().claim("q", 1, 60_000).block(TestServer.TIMEOUT);
    assertThat(again).hasSize(1);
  }

  @Test
  void releasesAMessageWhoseCallerDisconnected() throws Exception {
    try (SlowClient caller = new SlowClient(site.uri())) {
      String claim = "{\"queue\":\"q\",\"leaseMs\":3600000,\"waitMs\":60000}";
      caller.send(
          "POST /api/v1/queue/claim HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
              + "Content-Length: %d\r\n\r\n%s".formatted(claim.length(), claim));
      enqueue();
      Conditions.await(() -> !deliveries.isEmpty());
    }
    Conditions.await(() -> site.lifecycle.underWay() == 0);
    deliveries.remove().run();
    isGivenBack();
  }

  @Test
  void releasesAMessageDeliveredAfterTheAnswer() throws Exception {
    enqueue();
    Answer answer =
        site.rest().post("/queue/claim", "{\"queue\":\"q\",\"leaseMs\":3600000}").is(200);
    assertThat(answer.json().get("messages")).isEmpty(); // after the waiting time
    Conditions.await(() -> !deliveries.isEmpty());
    deliveries.remove().run();
    isGivenBack();
  }

  @Test
  void endsAClaimWhenItsTokenExpires(Vertx vertx) throws Exception {
    Instant end = Instant.now().plusSeconds(2);
    Grant grant = new Grant("worker", Set.of(AccessRight.values()), List.of(), Set.of(), end);
    TestServerContext guarded =
        new TestServerContext(
            vertx, KvOptions.inMemory(), RoutesOptions.DEFAULT, TestServerContext.tokens(grant));
    try {
      CompletableFuture<Answer> claim =
          CompletableFuture.supplyAsync(
              () ->
                  guarded
                      .rest()
                      .as("worker")
                      .post("/queue/claim", "{\"queue\":\"q\",\"waitMs\":60000}"));
      claim.get(TestServer.TIMEOUT.toSeconds(), TimeUnit.SECONDS).problem(401, "UNAUTHENTICATED");
      guarded
          .kv
          .queues()
          .enqueue("m", EnqueueOptions.DEFAULT.withQueue("q"))
          .block(TestServer.TIMEOUT);
      assertThat(guarded.kv.engine().claim("q", 1, 60_000).block(TestServer.TIMEOUT)).hasSize(1);
    } finally {
      guarded.close();
    }
  }
}
