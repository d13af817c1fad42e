package io.kvreactive.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.CommitResult;
import io.kvreactive.KvOptions;
import io.kvreactive.KvValue;
import io.kvreactive.internal.store.Store;
import io.kvreactive.internal.store.StoreSnapshot;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Mutation;
import io.kvreactive.testing.Tries;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;

/** Removal of expired keys from memory and image, in small commits. */
class ExpirySweeperTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final int KEYS = 12_000;

  @TempDir Path directory;
  private ExecutorService storeThread;
  private EmbeddedEngine engine;

  @BeforeEach
  void open() {
    storeThread = Executors.newSingleThreadExecutor();
    engine = open(storeThread);
  }

  private EmbeddedEngine open(ExecutorService storeThread) {
    KvOptions options = KvOptions.at(directory).withMemoryBytes(1 << 20);
    return EmbeddedEngine.open(options, storeThread);
  }

  @AfterEach
  void close() throws InterruptedException {
    engine.close().block(TIMEOUT);
    storeThread.shutdown();
    assertThat(storeThread.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
  }

  private static byte[] key(int n) {
    return ByteBuffer.allocate(6).put((byte) 2).putInt(n).put((byte) 0).array();
  }

  private void set(int from, int to, long expireAt) {
    KvValue value = new KvValue(KvValue.Encoding.BYTES, new byte[100]);
    List<Mutation> mutations = new ArrayList<>();
    for (int i = from; i < to; i++) {
      mutations.add(new Mutation.Set(key(i), value, expireAt));
    }
    engine.commit(new Commit(List.of(), mutations)).block(TIMEOUT);
  }

  /** Returns the number of expired keys that are still stored. */
  private int left() {
    Store store = engine.store();
    try (StoreSnapshot snapshot = store.snapshot()) {
      return store.scanExpired(snapshot, new byte[0], Integer.MAX_VALUE).expired().size();
    }
  }

  /** Polls until no expired key is stored, up to a time limit. */
  private void awaitNoneLeft() {
    Flux.interval(Duration.ofMillis(20))
        .map(tick -> left())
        .takeUntil(left -> left == 0)
        .blockLast(TIMEOUT);
  }

  private static void awaitTime(LongSupplier clock, long at) {
    Flux.interval(Duration.ofMillis(2))
        .map(tick -> clock.getAsLong())
        .takeUntil(now -> now >= at)
        .blockLast(TIMEOUT);
  }

  @Test
  void removesKeysThatExpireWhileTheStoreIsOpen() {
    long at;
    long millis = 1000;
    long before;
    do { // repeated with more time if the first key expired before all were stored
      at = engine.now() + millis;
      for (int i = 0; i < KEYS; i += 1000) {
        set(i, i + 1000, i % 2000 == 0 ? at : 0);
      }
      set(KEYS, KEYS + 10, at + 3_600_000);
      before = engine.count(new byte[0], new byte[] {(byte) 0xFF}).block(TIMEOUT);
      millis *= 2;
    } while (engine.now() >= at);
    assertThat(before).as("none has expired yet").isEqualTo(KEYS + 10L);
    awaitTime(engine::now, at);
    assertThat(engine.count(new byte[0], new byte[] {(byte) 0xFF}).block(TIMEOUT))
        .as("all have, for readers, whether removed or not")
        .isEqualTo(KEYS / 2 + 10L);
    awaitNoneLeft();
    assertThat(engine.count(new byte[0], new byte[] {(byte) 0xFF}).block(TIMEOUT))
        .isEqualTo(KEYS / 2 + 10L);
  }

  @Test
  void removesKeysThatExpiredWhileTheStoreWasClosed() throws InterruptedException {
    for (int i = 0; i < KEYS; i += 1000) {
      set(i, i + 1000, engine.now() + 500);
    }
    long last = engine.now() + 500;
    close();
    awaitTime(System::currentTimeMillis, last);
    open();
    awaitNoneLeft();
    assertThat(engine.count(new byte[0], new byte[] {(byte) 0xFF}).block(TIMEOUT)).isZero();
  }

  @Test
  void keepsKeysWhoseExpiryIsExtended() {
    for (int round = 0; round < 30; round++) {
      set(0, 500, engine.now() + 300);
      set(500, 600, engine.now() + 5);
    }
    long untouched = engine.now() + 250;
    CommitResult result;
    do {
      set(0, 500, engine.now() + 3_600_000);
      result = engine.commit(Commit.of(new Mutation.Delete(key(1_000_000)))).block(TIMEOUT);
    } while (engine.now() < untouched);
    assertThat(result).isNotNull();
    awaitNoneLeft();
    assertThat(engine.count(key(0), key(500)).block(TIMEOUT)).isEqualTo(500);
    assertThat(engine.count(key(500), key(600)).block(TIMEOUT)).isZero();
  }

  @Test
  void keepsKeysRewrittenDuringASweep() {
    for (int round = 0; round < Tries.of(1, 3); round++) {
      long at = engine.now() + 400;
      for (int i = 0; i < KEYS; i += 1000) {
        set(i, i + 1000, at);
      }
      awaitTime(engine::now, at);
      // more than the memory limit, so that memtables are frozen and written during the sweep
      for (int again = 0; again < 3; again++) {
        for (int i = 0; i < KEYS; i += 1000) {
          set(i, i + 1000, 0);
        }
      }
      assertThat(engine.count(key(0), key(KEYS)).block(TIMEOUT)).isEqualTo(KEYS);
      awaitNoneLeft();
      assertThat(engine.count(key(0), key(KEYS)).block(TIMEOUT)).isEqualTo(KEYS);
    }
  }
}
