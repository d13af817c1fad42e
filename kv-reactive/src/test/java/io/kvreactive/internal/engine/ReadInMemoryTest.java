package io.kvreactive.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.KvValue;
import io.kvreactive.internal.shared.SubscriberContext;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Small values in memory are read without a reader thread; the only one stands still here. */
class ReadInMemoryTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final KvKey KEY = KvKey.of("k");
  private static final KvKey OTHER = KvKey.of("other");

  private record Seen(int bytes, boolean onContext) {}

  private final ExecutorService storeThread = Executors.newSingleThreadExecutor();
  private final Vertx vertx = Vertx.vertx();
  private final Context context = vertx.getOrCreateContext();
  private final BlockingQueue<Seen> seen = new LinkedBlockingQueue<>();
  private final CountDownLatch goOn = new CountDownLatch(1);
  private EmbeddedEngine engine;

  @BeforeEach
  void open() {
    engine = EmbeddedEngine.open(KvOptions.inMemory().withReaderThreads(1), storeThread);
    set(KEY, 1);
  }

  @AfterEach
  void close() {
    goOn.countDown();
    engine.close().block(TIMEOUT);
    storeThread.shutdown();
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private void set(KvKey key, int bytes) {
    KvValue value = new KvValue(KvValue.Encoding.BYTES, new byte[bytes]);
    engine.commit(Commit.of(new Mutation.Set(key.bytes(), value))).block(TIMEOUT);
  }

  private void stallTheReader() throws InterruptedException {
    CountDownLatch standsStill = new CountDownLatch(1);
    var unused =
        engine
            .read(List.of(ReadRange.point(KEY.bytes())), null)
            .subscribe(
                result -> {
                  standsStill.countDown();
                  await(goOn);
                });
    assertThat(standsStill.await(60, TimeUnit.SECONDS)).isTrue();
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(4, TimeUnit.MINUTES)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void watchOnTheContext(KvKey... keys) {
    context.runOnContext(
        ignored ->
            engine
                .watch(List.of(keys).stream().map(KvKey::bytes).toList())
                .subscribe(state -> seen.add(seen(state))));
  }

  private static Seen seen(ReadResult state) {
    KvValue value = state.pages().get(0).entries().get(0).value();
    return new Seen(value.bytes().length, Vertx.currentContext() != null);
  }

  private Seen next() throws InterruptedException {
    Seen next = seen.poll(60, TimeUnit.SECONDS);
    assertThat(next).isNotNull();
    return next;
  }

  @Test
  void getsASmallValue() throws Exception {
    Kv kv = Kv.over(engine, "kv");
    stallTheReader();
    assertThat(kv.get(KEY).block(TIMEOUT).exists()).isTrue();
  }

  @Test
  void watchesASmallValueOnTheContextOfTheSubscriber() throws Exception {
    watchOnTheContext(KEY);
    assertThat(next()).isEqualTo(new Seen(1, false));
    stallTheReader();
    for (int bytes = 2; bytes < 10; bytes++) {
      set(KEY, bytes);
      assertThat(next()).isEqualTo(new Seen(bytes, true));
    }
  }

  @Test
  void leavesLargeValuesToTheReader() throws Exception {
    int large = SubscriberContext.SMALL_BYTES;
    watchOnTheContext(KEY);
    assertThat(next()).isEqualTo(new Seen(1, false));
    setUntilSeenOnTheContext();
    for (int i = 0; i < 3; i++) {
      set(KEY, large + i);
      assertThat(next()).isEqualTo(new Seen(large + i, false));
    }
    set(KEY, 2);
    assertThat(next()).isEqualTo(new Seen(2, false));
    setUntilSeenOnTheContext();
  }

  /** A commit that arrives while the reader ends a step is still seen there. */
  private void setUntilSeenOnTheContext() throws InterruptedException {
    int bytes = 10;
    do {
      assertThat(bytes).isLessThan(1000);
      set(KEY, ++bytes);
    } while (!next().onContext());
  }

  @Test
  void leavesSeveralKeysToTheReader() throws Exception {
    set(OTHER, 1);
    watchOnTheContext(KEY, OTHER);
    assertThat(next()).isEqualTo(new Seen(1, false));
    set(KEY, 2);
    assertThat(next()).isEqualTo(new Seen(2, false));
  }
}
