package io.kvreactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.ListOptions.Consistency;
import io.kvreactive.internal.api.EngineKv;
import io.kvreactive.internal.engine.EmbeddedEngine;
import io.kvreactive.internal.shared.CallbackThread;
import io.kvreactive.internal.shared.SubscriberContext;
import io.kvreactive.internal.value.ValueMapper;
import io.kvreactive.spi.KvEngine;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertx.junit5.VertxTestContext;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.test.StepVerifier;

/** Reads of a list in relation to the demand of its subscriber. */
@ExtendWith(VertxExtension.class)
class BackpressureTest {
  private static final int KEYS = 200_000;
  private static final KvRange ALL = KvRange.prefix("n");
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final ListOptions SNAPSHOT =
      ListOptions.DEFAULT.withConsistency(Consistency.SNAPSHOT);

  private static ExecutorService storeThread;
  private static EmbeddedEngine store;
  private static SubscriberContext subscriberContext;
  private static Kv filled;

  // separate for each test: reads of a cancelled list may still be running
  private final CountingEngine engine = new CountingEngine(store);
  private final Kv kv = over(engine);

  @BeforeAll
  static void fill() {
    storeThread = Executors.newSingleThreadExecutor();
    KvOptions options = KvOptions.inMemory().withName("backpressure");
    store = EmbeddedEngine.open(options, storeThread);
    subscriberContext = new SubscriberContext(new CallbackThread("kv-callback-backpressure"));
    filled = over(store);
    Flux.range(0, KEYS / 1000)
        .concatMap(
            batch -> {
              AtomicOperation operation = filled.atomic();
              for (int i = 0; i < 1000; i++) {
                operation.set(KvKey.of("n", batch * 1000 + i), i);
              }
              return operation.commit();
            })
        .blockLast(TIMEOUT);
  }

  private static Kv over(KvEngine engine) {
    return new EngineKv(engine, new ValueMapper(), subscriberContext, engine.close());
  }

  @AfterAll
  static void close() {
    filled.close().block(TIMEOUT);
    storeThread.shutdown();
  }

  @Test
  void readsOnePageForTenOfManyEntries() {
    assertThat(kv.list(ALL).take(10).collectList().block(TIMEOUT)).hasSize(10);

    assertThat(engine.entriesRead()).isBetween(10, 600);
  }

  @Test
  void readsAtMostOnePageBeyondTheDemand() {
    StepVerifier.create(kv.list(ALL), 0)
        .expectSubscription()
        .then(() -> assertThat(engine.reads()).isZero())
        .thenRequest(10)
        .expectNextCount(10)
        .thenRequest(100)
        .expectNextCount(100)
        .then(() -> assertThat(engine.entriesRead()).isLessThanOrEqualTo(110 + 2 * 64))
        .thenCancel()
        .verify(TIMEOUT);
  }

  @Test
  void readsPagesForDemandOfOne() {
    AtomicInteger received = new AtomicInteger();
    CompletableFuture<Void> done = new CompletableFuture<>();
    kv.list(ALL)
        .subscribe(
            new BaseSubscriber<KvEntry<Object>>() {
              @Override
              protected void hookOnSubscribe(Subscription subscription) {
                request(1);
              }

              @Override
              protected void hookOnNext(KvEntry<Object> value) {
                if (received.incrementAndGet() == 10_000) {
                  cancel();
                  done.complete(null);
                } else {
                  request(1); // reentrant
                }
              }
            });
    Mono.fromFuture(done).block(TIMEOUT);

    assertThat(engine.reads()).isLessThanOrEqualTo(10_000 / 60);
    assertThat(engine.entriesRead()).isLessThanOrEqualTo(10_000 + 128);
  }

  @Test
  void reentrantRequestsInOneCallStackDoNotOverflow() {
    Flux<Object> deep =
        Flux.from(kv.list(ALL, ListOptions.DEFAULT.withBatchSize(10_000)))
            .limitRate(1)
            .map(entry -> (Object) entry.key());

    assertThat(deep.take(50_000).count().block(TIMEOUT)).isEqualTo(50_000);
  }

  @Test
  void yieldsAllEntriesInOrderForEveryDemandPattern() {
    for (int rate : new int[] {1, 63, 64, 65, 1000}) {
      var keys =
          kv.list(ALL, ListOptions.DEFAULT.withLimit(5000))
              .limitRate(rate)
              .map(KvEntry::key)
              .collectList()
              .block(TIMEOUT);
      assertThat(keys).hasSize(5000).isSorted().doesNotHaveDuplicates();
    }
  }

  @Test
  void doesNotOverrunASlowSubscriber() {
    StepVerifier.create(kv.list(ALL).limitRate(5).delayElements(Duration.ofMillis(1)).take(100))
        .expectNextCount(100)
        .expectComplete()
        .verify(TIMEOUT);
    assertThat(engine.entriesRead()).isLessThanOrEqualTo(300);
  }

  @Test
  void stopsReadingAndReleasesTheSnapshotOnCancel() {
    AtomicInteger received = new AtomicInteger();
    kv.list(ALL, SNAPSHOT)
        .doOnNext(entry -> received.incrementAndGet())
        .takeUntil(entry -> received.get() == 1500)
        .blockLast(TIMEOUT);
    await(() -> engine.openSnapshots() == 0);
    int reads = engine.reads();
    kv.get(KvKey.of("n", 1)).block(TIMEOUT);

    assertThat(received).hasValue(1500);
    assertThat(engine.reads()).isLessThanOrEqualTo(reads + 2);
    assertThat(engine.entriesRead()).isLessThan(4000);
  }

  @Test
  void releasesTheSnapshotAfterEveryOutcome() {
    assertThat(kv.list(ALL, SNAPSHOT.withLimit(3)).count().block(TIMEOUT)).isEqualTo(3);
    kv.list(ALL, SNAPSHOT, KvU64.class).onErrorComplete().blockLast(TIMEOUT);
    for (int i = 0; i < 200; i++) {
      kv.list(ALL, SNAPSHOT).subscribe().dispose();
    }
    kv.getMany(java.util.Collections.nCopies(2000, KvKey.of("n", 1))).blockLast(TIMEOUT);

    await(() -> engine.openSnapshots() == 0);
  }

  @Test
  void releasesASnapshotThatArrivesAfterCancel() {
    AtomicReference<Disposable> list = new AtomicReference<>();
    CompletableFuture<Void> cancelled = new CompletableFuture<>();
    engine.whenSnapshotIsTaken(
        () -> {
          list.get().dispose();
          cancelled.complete(null);
        });
    try {
      BaseSubscriber<KvEntry<Object>> subscriber = new BaseSubscriber<>() {};
      list.set(subscriber);
      kv.list(ALL, SNAPSHOT).subscribe(subscriber);
      Mono.fromFuture(cancelled).block(TIMEOUT);
    } finally {
      engine.whenSnapshotIsTaken(() -> {});
    }

    await(() -> engine.openSnapshots() == 0);
  }

  @Test
  void cancelFromTheSubscribersThreadEndsSilently() {
    CompletableFuture<SignalType> end = new CompletableFuture<>();
    AtomicInteger afterCancel = new AtomicInteger();
    BaseSubscriber<KvEntry<Object>> subscriber =
        new BaseSubscriber<>() {
          @Override
          protected void hookOnNext(KvEntry<Object> value) {
            if (isDisposed()) {
              afterCancel.incrementAndGet();
            } else {
              cancel();
            }
          }

          @Override
          protected void hookFinally(SignalType type) {
            end.complete(type);
          }
        };
    kv.list(ALL).subscribe(subscriber);

    assertThat(Mono.fromFuture(end).block(TIMEOUT)).isEqualTo(SignalType.CANCEL);
    kv.get(KvKey.of("n", 1)).block(TIMEOUT); // on the same thread, after the queued tasks
    assertThat(afterCancel).hasValue(0);
  }

  @Test
  void doesNotStarveOthersOnTheEventLoopOfALongList(Vertx vertx, VertxTestContext test) {
    AtomicInteger others = new AtomicInteger();
    AtomicInteger listed = new AtomicInteger();
    Context context = vertx.getOrCreateContext();
    context.runOnContext(
        start -> {
          tick(context, others, test);
          kv.list(ALL)
              .subscribe(
                  entry -> listed.incrementAndGet(),
                  test::failNow,
                  () -> {
                    test.verify(
                        () -> {
                          assertThat(others.get()).isGreaterThan(KEYS / 500 / 2);
                          assertThat(listed).hasValue(KEYS);
                        });
                    test.completeNow();
                  });
        });
  }

  /** A task that repeatedly enqueues itself behind the waiting tasks. */
  private static void tick(Context context, AtomicInteger count, VertxTestContext until) {
    if (!until.completed() && !until.failed()) {
      count.incrementAndGet();
      context.runOnContext(again -> tick(context, count, until));
    }
  }

  private static void await(java.util.function.BooleanSupplier condition) {
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.onSpinWait();
    }
  }
}
