package io.kvreactive.web.internal.stores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.KvEngineOptions;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.trace.Tracing;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Databases of an engine that needs a connection to look up a database. */
@ExtendWith(VertxExtension.class)
class StoreDatabasesTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @Test
  void looksForFewDatabasesAtATime(Vertx vertx) {
    AtomicInteger asked = new AtomicInteger();
    Sinks.One<Boolean> answer = Sinks.one();
    StoreDatabases databases = databases(vertx, asked, answer.asMono());
    Grant grant = Grant.all("test");
    List<CompletableFuture<Boolean>> first = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      first.add(databases.absent("d" + i, grant).toFuture());
      first.add(databases.absent("d" + i, grant).toFuture());
    }
    assertThat(asked).hasValue(8);
    assertThatThrownBy(() -> databases.absent("another", grant).block(TIMEOUT))
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.OVERLOADED));

    answer.tryEmitValue(true).orThrow();
    assertThat(first).allMatch(each -> !each.join());
    assertThat(databases.absent("another", grant).block(TIMEOUT)).isFalse();
    assertThat(asked).hasValue(9);
  }

  /** Two requests on different event loops share one lookup in the engine. */
  @Test
  void emitsTheNamesOnTheContextOfEachCaller(Vertx vertx) {
    AtomicInteger asked = new AtomicInteger();
    Sinks.One<Boolean> answer = Sinks.one();
    StoreDatabases databases = databases(vertx, asked, answer.asMono());
    List<CompletableFuture<Boolean>> onOwnContext = new ArrayList<>();
    List<CompletableFuture<Void>> subscribed = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Context caller = ((VertxInternal) vertx).createEventLoopContext();
      CompletableFuture<Boolean> emitted = new CompletableFuture<>();
      CompletableFuture<Void> began = new CompletableFuture<>();
      onOwnContext.add(emitted);
      subscribed.add(began);
      caller.runOnContext(
          ignored -> {
            databases
                .names()
                .subscribe(
                    names -> emitted.complete(Vertx.currentContext() == caller),
                    emitted::completeExceptionally);
            began.complete(null);
          });
    }
    subscribed.forEach(each -> each.orTimeout(60, TimeUnit.SECONDS).join());

    answer.tryEmitValue(true).orThrow();
    assertThat(onOwnContext).allMatch(each -> each.orTimeout(60, TimeUnit.SECONDS).join());
    assertThat(asked).hasValue(1);
  }

  private static StoreDatabases databases(Vertx vertx, AtomicInteger asked, Mono<Boolean> answer) {
    KvEngineOptions options =
        new KvEngineOptions() {
          @Override
          public String name() {
            return "test";
          }

          @Override
          public Mono<KvEngine> openEngine(Vertx ofServer) {
            return Mono.error(new AssertionError("is not opened"));
          }

          @Override
          public Mono<Boolean> exists(Vertx ofServer) {
            asked.incrementAndGet();
            return answer;
          }

          @Override
          public Mono<List<String>> existing(Vertx ofServer) {
            asked.incrementAndGet();
            return answer.map(there -> List.of(name()));
          }
        };
    return new StoreDatabases(
        vertx,
        null,
        name -> options,
        true,
        UnaryOperator.identity(),
        DocumentStoreOptions.DEFAULT,
        Tracing.find());
  }
}
