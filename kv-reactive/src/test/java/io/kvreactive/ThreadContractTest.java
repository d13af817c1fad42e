package io.kvreactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.AbstractVerticle;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.ThreadingModel;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertx.junit5.VertxTestContext;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

/** The threads on which each public publisher emits values, completions and errors. */
@ExtendWith(VertxExtension.class)
class ThreadContractTest {
  /** A bean that cannot be encoded. */
  private static final class Broken {
    public String getName() {
      throw new IllegalStateException("broken on purpose");
    }
  }

  private static final KvKey K = KvKey.of("k");
  private static final KvKey TOO_LONG = KvKey.of("x".repeat(5000));
  @TempDir static Path temp;
  private static Vertx vertx;
  private static Kv kv;

  @BeforeAll
  static void open(Vertx vertx) {
    ThreadContractTest.vertx = vertx;
    kv = Kv.open(vertx, KvOptions.inMemory().withName("threads")).block();
    Flux.range(0, 2000).flatMap(i -> kv.set(KvKey.of("n", i), i)).blockLast();
    kv.set(K, "text").block();
  }

  /** Every public publisher, with values and with errors. */
  private static Map<String, Supplier<Publisher<?>>> publishers() {
    KvRange numbers = KvRange.prefix("n");
    ListOptions wrongCursor = ListOptions.DEFAULT.withCursor("!");
    Map<String, Supplier<Publisher<?>>> all = new LinkedHashMap<>();
    all.put("get", () -> kv.get(K));
    all.put("get, too long", () -> kv.get(TOO_LONG));
    all.put("get, unreadable", () -> kv.get(K, KvU64.class));
    all.put("getMany", () -> kv.getMany(java.util.Collections.nCopies(1200, K)));
    all.put("getMany, too long", () -> kv.getMany(List.of(TOO_LONG)));
    all.put("set", () -> kv.set(KvKey.of("s"), 1));
    all.put("set, empty key", () -> kv.set(KvKey.EMPTY, 1));
    all.put("set, unencodable", () -> kv.set(K, new Broken()));
    all.put("delete", () -> kv.delete(KvKey.of("s")));
    all.put("delete, too long", () -> kv.delete(TOO_LONG));
    all.put("deleteRange", () -> kv.deleteRange(KvRange.prefix("s")));
    all.put("list", () -> kv.list(numbers));
    all.put("list, wrong cursor", () -> kv.list(numbers, wrongCursor));
    all.put("list, batch size", () -> kv.list(numbers, ListOptions.DEFAULT.withBatchSize(99_999)));
    all.put("list, too long", () -> kv.list(KvRange.prefix(TOO_LONG)));
    all.put("page", () -> kv.page(numbers, ListOptions.DEFAULT, Object.class));
    all.put("page, wrong cursor", () -> kv.page(numbers, wrongCursor, Object.class));
    all.put("count", () -> kv.count(numbers));
    all.put("count, too long", () -> kv.count(KvRange.prefix(TOO_LONG)));
    all.put("commit", () -> kv.atomic().set(KvKey.of("s"), 1).commit());
    all.put("commit, conflict", () -> kv.atomic().checkAbsent(K).commit());
    all.put("commit, mismatch", () -> kv.atomic().sum(K, 1).commit());
    all.put("watch", () -> kv.watch(K).take(1));
    all.put("watch, too long", () -> kv.watch(TOO_LONG));
    all.put("changes", () -> kv.changes(numbers, Versionstamp.ZERO).take(500));
    all.put("changes, too long", () -> kv.changes(KvRange.prefix(TOO_LONG)));
    all.put("changes, future", () -> kv.changes(numbers, Versionstamp.of(Long.MAX_VALUE)));
    all.put(
        "changes, unreadable", () -> kv.changes(KvRange.single(K), Versionstamp.ZERO, KvU64.class));
    all.put("listAndWatch", () -> kv.listAndWatch(KvRange.all()).take(2003));
    all.put("listAndWatch, too long", () -> kv.listAndWatch(KvRange.prefix(TOO_LONG)));
    all.put("enqueue", () -> kv.queues().enqueue(1));
    all.put("enqueue, unencodable", () -> kv.queues().enqueue(new Broken()));
    all.put(
        "listenQueue",
        () -> kv.queues().enqueue(1).thenMany(kv.queues().listen(Object.class)).take(1));
    all.put("ack", () -> kv.queues().enqueue(1).thenMany(acks()).take(1));
    all.put(
        "listenQueue, name",
        () -> kv.queues().listen(Object.class, QueueOptions.of("x".repeat(999))));
    all.put(
        "listenQueue after close", () -> closed().flatMapMany(k -> k.queues().listen(Void.class)));
    all.put(
        "handleQueue, concurrency",
        () -> kv.queues().handle(Object.class, QueueOptions.DEFAULT, 0, m -> kv.get(K)));
    all.put("handleQueue, stopped", ThreadContractTest::handledElsewhere);
    Path exists = temp.toAbsolutePath().getParent();
    all.put("backup", () -> kv.admin().backup(temp.resolve("" + UUID.randomUUID())));
    all.put("backup, exists", () -> kv.admin().backup(exists));
    all.put(
        "restore",
        () -> {
          Path path = temp.resolve("" + UUID.randomUUID());
          Path to = temp.resolve("" + UUID.randomUUID());
          return kv.admin().backup(path).then(KvStores.restore(path, to, RestoreOptions.DEFAULT));
        });
    all.put("restore, none", () -> KvStores.restore(temp, exists));
    all.put("open", () -> Kv.inMemory(vertx));
    all.put("close", () -> Kv.inMemory(vertx).flatMap(Kv::close));
    all.put("open, taken", () -> Kv.open(vertx, KvOptions.inMemory().withName("threads")));
    all.put("named", () -> Kv.named(vertx, "threads"));
    all.put("named, unknown", () -> Kv.named(vertx, "unknown"));
    all.put("after close", () -> closed().flatMap(k -> k.get(K)));
    all.put("list after close", () -> closed().flatMapMany(k -> k.list(numbers)));
    all.put("changes after close", () -> closed().flatMapMany(k -> k.changes(numbers)));
    all.put("watch after close", () -> closed().flatMapMany(k -> k.watch(K)));
    return all;
  }

  private static Flux<Boolean> acks() {
    return kv.queues().listen(Object.class).concatMap(m -> m.ack().thenReturn(true));
  }

  /** The handler ends on a separate thread, as the last step. */
  private static Mono<Void> handledElsewhere() {
    String queue = UUID.randomUUID().toString();
    Sinks.Empty<Void> stop = Sinks.empty();
    QueueOptions options = QueueOptions.of(queue).withStopWhen(stop.asMono());
    return kv.queues()
        .enqueue(1, EnqueueOptions.to(queue))
        .then(
            kv.queues()
                .handle(
                    Object.class,
                    options,
                    1,
                    m ->
                        m.ack()
                            .then(Mono.fromRunnable(stop::tryEmitEmpty))
                            .then(Mono.delay(Duration.ofMillis(20)))));
  }

  private static Mono<Kv> closed() {
    return Kv.inMemory(vertx).flatMap(opened -> opened.close().thenReturn(opened));
  }

  static Set<String> calls() {
    return publishers().keySet();
  }

  @ParameterizedTest
  @MethodSource("calls")
  void signalsOnTheEventLoopOfTheSubscriber(String call, VertxTestContext test) {
    subscribe(call, ThreadingModel.EVENT_LOOP, test);
  }

  @ParameterizedTest
  @MethodSource("calls")
  void signalsOnTheWorkerContextOfTheSubscriber(String call, VertxTestContext test) {
    subscribe(call, ThreadingModel.WORKER, test);
  }

  @ParameterizedTest
  @MethodSource("calls")
  @EnabledForJreRange(min = JRE.JAVA_21)
  void signalsOnTheVirtualThreadContextOfTheSubscriber(String call, VertxTestContext test) {
    subscribe(call, ThreadingModel.VIRTUAL_THREAD, test);
  }

  @ParameterizedTest
  @MethodSource("calls")
  void signalsOtherSubscribersOnTheCallbackThread(String call, VertxTestContext test) {
    check(
        call, () -> assertThat(Thread.currentThread().getName()).startsWith("kv-callback-"), test);
  }

  /** Subscribes on a context of its own and expects every signal there. */
  private static void subscribe(String call, ThreadingModel model, VertxTestContext test) {
    vertx
        .deployVerticle(
            new AbstractVerticle() {
              @Override
              public void start() {
                Context mine = context;
                check(call, () -> assertThat(Vertx.currentContext()).isSameAs(mine), test);
              }
            },
            new DeploymentOptions().setThreadingModel(model))
        .onFailure(test::failNow);
  }

  private static void check(
      String call, VertxTestContext.ExecutionBlock expectation, VertxTestContext test) {
    Flux.from(publishers().get(call).get())
        .subscribe(
            value -> test.verify(expectation),
            error -> {
              test.verify(expectation);
              if (error instanceof KvException e && e.code() != KvErrorCode.INTERNAL) {
                test.completeNow();
              } else {
                test.failNow(error);
              }
            },
            () -> {
              test.verify(expectation);
              test.completeNow();
            });
  }

  @Test
  void forbidsBlockingOnTheCallbackThread() {
    StepVerifier.create(kv.get(K).map(entry -> kv.get(K).block()))
        .expectErrorSatisfies(
            error ->
                assertThat(error)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("block()"))
        .verify(Duration.ofSeconds(60));
  }

  @Test
  void survivesASubscriberThatThrows() {
    kv.get(K)
        .subscribe(
            value -> {
              throw new IllegalStateException("a subscriber's bug (expected in this test)");
            },
            error -> {});

    assertThat(kv.get(K).block(java.time.Duration.ofSeconds(60))).isNotNull();
  }
}
