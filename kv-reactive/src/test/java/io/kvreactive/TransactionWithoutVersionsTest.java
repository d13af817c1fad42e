package io.kvreactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.internal.api.EngineKv;
import io.kvreactive.internal.engine.EmbeddedEngine;
import io.kvreactive.internal.shared.CallbackThread;
import io.kvreactive.internal.shared.SubscriberContext;
import io.kvreactive.internal.value.ValueMapper;
import io.kvreactive.spi.ForwardingKvEngine;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** A list in a transaction over an engine whose snapshots keep no versions is refused. */
class TransactionWithoutVersionsTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final KvKey A = KvKey.of("a");
  private static final KvRange P = KvRange.prefix(KvKey.of("p"));

  private final ExecutorService storeThread = Executors.newSingleThreadExecutor();
  private Changing engine;
  private Kv kv;

  /** Fails the first reads of keys at snapshots at once, as if the keys had changed. */
  private static final class Changing extends ForwardingKvEngine {
    private final AtomicInteger ranges = new AtomicInteger();
    private final AtomicInteger conflicts = new AtomicInteger();

    Changing(KvEngine engine) {
      super(engine);
    }

    @Override
    public boolean keepsVersions() {
      return false;
    }

    @Override
    public Mono<ReadResult> read(
        List<ReadRange> requested, @Nullable Snapshot snapshot, long maxBytes) {
      if (snapshot != null && !requested.get(0).isPoint()) {
        ranges.incrementAndGet();
        return Mono.error(new KvException(KvErrorCode.UNSUPPORTED, "a range at a snapshot"));
      }
      return snapshot != null && conflicts.getAndDecrement() > 0
          ? Mono.error(new KvException(KvErrorCode.SNAPSHOT_TOO_OLD, "a key has changed"))
          : super.read(requested, snapshot, maxBytes);
    }
  }

  @BeforeEach
  void open() {
    engine =
        new Changing(
            EmbeddedEngine.open(KvOptions.inMemory().withName("no-versions"), storeThread));
    SubscriberContext inOrder = new SubscriberContext(new CallbackThread("kv-callback-versions"));
    kv = new EngineKv(engine, new ValueMapper(), inOrder, engine.close());
  }

  @AfterEach
  void close() {
    kv.close().block(TIMEOUT);
    storeThread.shutdown();
  }

  @Test
  void refusesAListBeforeAConflictOfAReadBesideItDecides() {
    engine.conflicts.set(Integer.MAX_VALUE);
    Mono<Long> beside =
        kv.transact(tx -> Mono.zip(tx.get(A), tx.list(P).count()).map(read -> read.getT2()));
    assertThatThrownBy(() -> beside.block(TIMEOUT))
        .isInstanceOf(KvException.class)
        .hasMessageContaining("UNSUPPORTED: a range at a snapshot");
    assertThat(engine.ranges).hasValue(0);
    assertThat(engine.conflicts).hasValue(Integer.MAX_VALUE - 1); // in the first attempt
  }

  @Test
  void retriesAConflictOfAReadThatFollowsARefusedList() {
    engine.conflicts.set(3);
    Boolean exists =
        kv.transact(
                tx ->
                    tx.list(P)
                        .map(entry -> true)
                        .onErrorResume(e -> tx.get(A).map(KvEntry::exists).flux())
                        .next())
            .block(TIMEOUT);
    assertThat(exists).isFalse();
    assertThat(engine.conflicts).hasValue(-1);
  }
}
