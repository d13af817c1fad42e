package io.kvreactive.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.EnqueueOptions;
import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.spi.LeasedMessage;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Expiry in a store on files whose wall clock jumps by 50 years. */
class ClockJumpTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final long YEARS = Duration.ofDays(50 * 365).toMillis();
  private static final KvKey SESSION = KvKey.of("session");
  private static final KvKey LATER = KvKey.of("later");

  @TempDir Path directory;
  private final ExecutorService storeThread = Executors.newSingleThreadExecutor();
  private final AtomicLong wall = new AtomicLong(System.currentTimeMillis());
  private EmbeddedEngine engine;
  private Kv kv;

  @BeforeEach
  void open() {
    engine = EmbeddedEngine.open(KvOptions.at(directory), storeThread, wall::get);
    kv = Kv.over(engine, "clock");
  }

  @AfterEach
  void close() {
    kv.close().block(TIMEOUT);
    storeThread.shutdown();
  }

  private void reopen() {
    kv.close().block(TIMEOUT);
    open();
  }

  private boolean isPresent(KvKey key) {
    return kv.get(key, String.class).map(KvEntry::exists).block(TIMEOUT);
  }

  @Test
  void expiresNothingOnAForwardJumpOfOneCommit() {
    kv.set(SESSION, "s", Duration.ofDays(1)).block(TIMEOUT);
    wall.addAndGet(YEARS);
    kv.set(KvKey.of("any"), "in 2076").block(TIMEOUT);
    kv.queues().enqueue("in 2076", EnqueueOptions.DEFAULT.withQueue("q")).block(TIMEOUT);
    assertThat(isPresent(SESSION)).as("while the clock is wrong").isTrue();
    wall.addAndGet(-YEARS);
    assertThat(isPresent(SESSION)).as("when it is right again").isTrue();
    kv.set(LATER, "l", Instant.ofEpochMilli(wall.get()).plusSeconds(3600)).block(TIMEOUT);
    assertThat(isPresent(LATER)).as("by a client's clock").isTrue();
    reopen();
    assertThat(isPresent(SESSION)).as("after a restart").isTrue();
    assertThat(isPresent(LATER)).as("after a restart, by a client's clock").isTrue();
    assertThat(engine.now()).isBetween(wall.get(), wall.get() + TIMEOUT.toMillis());
    List<LeasedMessage> claimed = engine.claim("q", 1, 30_000).block(TIMEOUT);
    assertThat(claimed).as("sent while the clock was wrong").hasSize(1);
  }

  @Test
  void restoresNothingOnABackwardJump() {
    kv.set(SESSION, "s", Duration.ofMillis(1)).block(TIMEOUT);
    wall.addAndGet(2);
    assertThat(isPresent(SESSION)).isFalse();
    wall.addAndGet(-YEARS);
    assertThat(isPresent(SESSION)).isFalse();
    kv.set(LATER, "l", Duration.ofHours(1)).block(TIMEOUT);
    assertThat(isPresent(LATER)).isTrue();
    reopen();
    assertThat(isPresent(LATER)).isTrue();
    assertThat(isPresent(SESSION)).isFalse();
  }
}
