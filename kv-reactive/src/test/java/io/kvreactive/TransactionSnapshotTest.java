package io.kvreactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.internal.api.EngineKv;
import io.kvreactive.internal.engine.EmbeddedEngine;
import io.kvreactive.internal.shared.CallbackThread;
import io.kvreactive.internal.shared.SubscriberContext;
import io.kvreactive.internal.value.ValueMapper;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** A transaction holds one snapshot while its body runs, and releases it after every outcome. */
class TransactionSnapshotTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final KvKey A = KvKey.of("a");

  private final ExecutorService storeThread = Executors.newSingleThreadExecutor();
  private CountingEngine engine;
  private Kv kv;

  @BeforeEach
  void open() {
    engine =
        new CountingEngine(
            EmbeddedEngine.open(KvOptions.inMemory().withName("transactions"), storeThread));
    SubscriberContext subscriberContext =
        new SubscriberContext(new CallbackThread("kv-callback-transactions"));
    kv = new EngineKv(engine, new ValueMapper(), subscriberContext, engine.close());
  }

  @AfterEach
  void close() {
    kv.close().block(TIMEOUT);
    storeThread.shutdown();
  }

  @Test
  void releasesTheSnapshotWhenTheBodyEnds() {
    kv.transact(
            tx ->
                tx.get(A)
                    .doOnNext(e -> assertThat(engine.openSnapshots()).isEqualTo(1))
                    .doOnNext(e -> tx.set(A, 1)))
        .doOnNext(e -> assertThat(engine.openSnapshots()).isZero())
        .block(TIMEOUT);
    assertThat(engine.openSnapshots()).isZero();
  }

  @Test
  void releasesTheSnapshotOfEveryAttempt() {
    AtomicInteger attempts = new AtomicInteger();
    kv.transact(
            tx ->
                tx.get(A)
                    .delayUntil(e -> attempts.incrementAndGet() < 4 ? kv.set(A, 1) : Mono.empty())
                    .doOnNext(e -> assertThat(engine.openSnapshots()).isEqualTo(1))
                    .doOnNext(e -> tx.set(A, 2)))
        .block(TIMEOUT);
    assertThat(attempts).hasValue(4);
    assertThat(engine.openSnapshots()).isZero();
  }

  @Test
  void releasesTheSnapshotOnErrorAndCancel() throws InterruptedException {
    assertThat(
            kv.transact(tx -> Mono.error(new IllegalStateException("mine")))
                .onErrorComplete()
                .block(TIMEOUT))
        .isNull();
    assertThat(engine.openSnapshots()).isZero();
    CountDownLatch begun = new CountDownLatch(1);
    Disposable running =
        kv.transact(
                tx -> {
                  begun.countDown();
                  return Mono.never();
                })
            .subscribe();
    assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(engine.openSnapshots()).isEqualTo(1);
    running.dispose();
    awaitNoSnapshot(); // the body may be about to return
  }

  private void awaitNoSnapshot() {
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    while (engine.openSnapshots() != 0 && System.nanoTime() < deadline) {
      Thread.onSpinWait();
    }
    assertThat(engine.openSnapshots()).isZero();
  }

  @Test
  void releasesTheSnapshotOnCancelDuringItsCreation() {
    Disposable[] running = new Disposable[1];
    Mono<Object> transaction = kv.transact(tx -> Mono.never());
    for (int i = 0; i < 200; i++) {
      running[0] = transaction.subscribe();
      running[0].dispose();
    }
    awaitNoSnapshot();
  }

  @Test
  void readsItsOwnWritesWithoutTheStore() {
    engine.reset();
    kv.transact(tx -> tx.set(A, 1).get(A).then(tx.get(A))).block(TIMEOUT);
    assertThat(engine.reads()).isZero();
  }
}
