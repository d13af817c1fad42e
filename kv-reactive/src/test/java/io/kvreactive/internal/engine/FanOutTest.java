package io.kvreactive.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.CommitResult;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.KvValue;
import io.kvreactive.spi.ChangesRequest;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.CommittedChanges;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.ReadResult;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;

/** Notification of many watches and feeds. */
class FanOutTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final byte[] END = {(byte) 0xFF};

  private ExecutorService storeThread;
  private EmbeddedEngine engine;

  @BeforeEach
  void open() {
    storeThread = Executors.newSingleThreadExecutor();
    engine = EmbeddedEngine.open(KvOptions.inMemory(), storeThread);
  }

  @AfterEach
  void close() {
    engine.close().block(TIMEOUT);
    storeThread.shutdown();
  }

  private static byte[] key(int n) {
    return KvKey.of("k", n).bytes();
  }

  private static KvValue value(int n) {
    return new KvValue(KvValue.Encoding.BYTES, ByteBuffer.allocate(4).putInt(n).array());
  }

  private CommitResult commit(Mutation... mutations) {
    return engine.commit(new Commit(List.of(), List.of(mutations))).block(TIMEOUT);
  }

  private void watch(byte[] key, Predicate<ReadResult> last, CountDownLatch seen) {
    var unused =
        engine.watch(List.of(key)).filter(last).take(1).subscribe(state -> seen.countDown());
  }

  private static boolean has(ReadResult state, int n) {
    return !state.pages().get(0).entries().isEmpty()
        && state.pages().get(0).entries().get(0).value().equals(value(n));
  }

  private static void await(CountDownLatch seen) throws InterruptedException {
    assertThat(seen.await(30, TimeUnit.SECONDS)).as("left: %d", seen.getCount()).isTrue();
  }

  @Test
  void notifiesAllWatchesOfOneKeyOfItsLastState() throws InterruptedException {
    CountDownLatch seen = new CountDownLatch(3000);
    for (int i = 0; i < 3000; i++) {
      watch(key(0), state -> has(state, 50), seen);
    }
    for (int i = 1; i <= 50; i++) {
      commit(new Mutation.Set(key(0), value(i)));
    }
    await(seen);
  }

  @Test
  void notifiesAllWatchesOfADeletedRange() throws InterruptedException {
    Mutation[] sets =
        IntStream.range(0, 3000)
            .mapToObj(i -> new Mutation.Set(key(i), value(i)))
            .toArray(Mutation[]::new);
    commit(sets);
    CountDownLatch present = new CountDownLatch(3000);
    CountDownLatch gone = new CountDownLatch(3000);
    for (int i = 0; i < 3000; i++) {
      int n = i;
      watch(key(i), state -> has(state, n), present);
      watch(key(i), state -> state.pages().get(0).entries().isEmpty(), gone);
    }
    await(present);
    commit(new Mutation.DeleteRange(key(0), key(1000)));
    commit(new Mutation.DeleteRange(key(500), key(3000)));
    await(gone);
  }

  /** The last watch of a key ends on one thread while the next begins on another. */
  @Test
  void notifiesAWatchThatStartsWhileTheLastOneEnds() throws Exception {
    ExecutorService ending = Executors.newSingleThreadExecutor();
    try {
      for (int i = 0; i < 3000; i++) {
        Disposable last = engine.watch(List.of(key(0))).subscribe();
        CyclicBarrier together = new CyclicBarrier(2);
        Future<?> ended =
            ending.submit(
                () -> {
                  together.await(30, TimeUnit.SECONDS);
                  last.dispose();
                  return null;
                });
        CountDownLatch seen = new CountDownLatch(1);
        int n = i;
        together.await(30, TimeUnit.SECONDS);
        watch(key(0), state -> has(state, n), seen);
        ended.get(30, TimeUnit.SECONDS);
        commit(new Mutation.Set(key(0), value(i)));
        await(seen);
      }
    } finally {
      ending.shutdown();
    }
  }

  @Test
  void notifiesShortLivedFeedsOfTheLastCommit() throws InterruptedException {
    CountDownLatch seen = new CountDownLatch(400);
    List<Disposable> others = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      others.add(follow(0, changes -> false, seen));
      follow(i % 5, FanOutTest::isLast, seen);
      commit(new Mutation.Set(key(i), value(i)));
      if (i % 3 == 0) {
        others.remove(0).dispose();
      }
    }
    commit(
        new Mutation.Set(key(1000), value(-1)),
        new Mutation.Set(key(1001), value(1)),
        new Mutation.Set(key(1002), value(2)));
    await(seen);
    others.forEach(Disposable::dispose);
  }

  private static boolean isLast(CommittedChanges changes) {
    return changes.changes().stream().anyMatch(change -> value(-1).equals(change.value()));
  }

  private Disposable follow(int from, Predicate<CommittedChanges> last, CountDownLatch seen) {
    ChangesRequest request = new ChangesRequest(key(from), END, null, 1000, false);
    return engine.changes(request).filter(last).take(1).subscribe(changes -> seen.countDown());
  }
}
