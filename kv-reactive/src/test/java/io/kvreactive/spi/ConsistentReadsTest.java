package io.kvreactive.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRange;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Reads of one version: their results and snapshots, none of which is left behind. */
@ExtendWith(VertxExtension.class)
class ConsistentReadsTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final KvRange RANGE = KvRange.prefix("a");

  private Kv kv;
  private Watched engine;

  /** Counts reads and snapshots, and can delay snapshots. */
  private static final class Watched extends ForwardingKvEngine {
    private final List<Boolean> reads = new ArrayList<>(); // true at a snapshot
    private final List<WeakReference<ReadResult>> results = new CopyOnWriteArrayList<>();
    private boolean keepsVersions = true;
    private Mono<?> before = Mono.empty();
    private Runnable beforeSnapshot = () -> {};
    private int open;

    Watched(KvEngine engine) {
      super(engine);
    }

    @Override
    public boolean keepsVersions() {
      return keepsVersions;
    }

    @Override
    public Mono<ReadResult> read(
        List<ReadRange> ranges, @Nullable Snapshot snapshot, long maxBytes) {
      reads.add(snapshot != null);
      Snapshot held = snapshot instanceof Counted counted ? counted.held : snapshot;
      return engine()
          .read(ranges, held, maxBytes)
          .doOnNext(result -> results.add(new WeakReference<>(result)));
    }

    @Override
    public Mono<Snapshot> snapshot() {
      return before
          .then(Mono.fromRunnable(beforeSnapshot))
          .then(engine().snapshot())
          .map(
              held -> {
                open++;
                return new Counted(this, held);
              });
    }
  }

  private record Counted(Watched engine, KvEngine.Snapshot held) implements KvEngine.Snapshot {
    @Override
    public io.kvreactive.Versionstamp versionstamp() {
      return held.versionstamp();
    }

    @Override
    public void close() {
      engine.open--;
      held.close();
    }
  }

  @BeforeEach
  void open(Vertx vertx) {
    kv = Kv.open(vertx, KvOptions.inMemory().withName("reads-" + UUID.randomUUID())).block(TIMEOUT);
    engine = new Watched(kv.engine());
    write(0);
  }

  @AfterEach
  void close() {
    kv.close().block(TIMEOUT);
  }

  private void write(int value) {
    var atomic = kv.atomic();
    for (int i = 0; i < 10; i++) {
      atomic.set(KvKey.of("a", i), value);
    }
    atomic.commit().block(TIMEOUT);
  }

  private static ReadRange range(int limit) {
    return new ReadRange(RANGE.startBytes(), RANGE.endBytes(), limit, false, false);
  }

  private static Mono<ReadResult> read(ConsistentReads reads, ReadRange range) {
    return reads.read(List.of(range), Long.MAX_VALUE, result -> result.pages().get(0).isLast());
  }

  @Test
  void takesNoSnapshotIfTheFirstReadHasEverything() {
    try (var reads = new ConsistentReads(engine, true)) {
      assertThat(read(reads, range(11)).block(TIMEOUT).pages().get(0).entries()).hasSize(10);
    }
    assertThat(engine.reads).containsExactly(false);
    assertThat(engine.open).isZero();
  }

  @Test
  void readsTheRestAtTheVersionOfTheFirst() {
    ReadRange all = range(4);
    try (var reads = new ConsistentReads(engine, true)) {
      ReadResult first = read(reads, all).block(TIMEOUT);
      assertThat(engine.reads).containsExactly(false);
      write(1);
      ReadRange rest = all.after(first.pages().get(0).resumeAfter());
      ReadResult second = read(reads, rest).block(TIMEOUT);
      assertThat(second.snapshot()).isEqualTo(first.snapshot());
      assertThat(engine.reads).containsExactly(false, true);
      assertThat(engine.open).isEqualTo(1);
    }
    assertThat(engine.open).isZero();
  }

  @Test
  void repeatsTheFirstReadIfThereWasACommitBeforeTheSnapshot() {
    engine.beforeSnapshot = () -> write(1);
    try (var reads = new ConsistentReads(engine, true)) {
      ReadResult first = read(reads, range(4)).block(TIMEOUT);
      assertThat(engine.reads).containsExactly(false, true);
      assertThat(first.pages().get(0).entries().get(0).versionstamp()).isEqualTo(first.snapshot());
    }
    assertThat(engine.open).isZero();
  }

  /** Answers of many reads would otherwise hold the memory of one more each. */
  @Test
  void forgetsTheFirstResultThatIsRepeated() {
    engine.beforeSnapshot = () -> write(1);
    try (var reads = new ConsistentReads(engine, true)) {
      Disposable consumer = read(reads, range(4)).flatMap(second -> Mono.never()).subscribe();
      long end = System.nanoTime() + TIMEOUT.toNanos();
      while (System.nanoTime() < end
          && (engine.results.size() < 2 || engine.results.get(0).get() != null)) {
        System.gc();
      }
      assertThat(engine.results.get(0).get()).isNull();
      assertThat(engine.reads).containsExactly(false, true);
      Reference.reachabilityFence(consumer);
      consumer.dispose();
    }
  }

  @Test
  void startsAtASnapshotOfAnEngineThatKeepsNoVersions() {
    engine.keepsVersions = false;
    try (var reads = ConsistentReads.atSnapshot(engine)) {
      read(reads, range(11)).block(TIMEOUT);
    }
    assertThat(engine.reads).containsExactly(true);
    assertThat(engine.open).isZero();
  }

  @Test
  void readsTheNewestVersionEachTime() {
    try (var reads = new ConsistentReads(engine, false)) {
      ReadResult first = read(reads, range(4)).block(TIMEOUT);
      write(1);
      assertThat(read(reads, range(4)).block(TIMEOUT).snapshot()).isNotEqualTo(first.snapshot());
    }
    assertThat(engine.reads).containsExactly(false, false);
  }

  @Test
  void restartsAtAnotherVersion() {
    try (var reads = new ConsistentReads(engine, true)) {
      ReadResult first = read(reads, range(4)).block(TIMEOUT);
      write(1);
      reads.restart();
      assertThat(engine.open).isZero();
      assertThat(read(reads, range(4)).block(TIMEOUT).snapshot()).isNotEqualTo(first.snapshot());
    }
    assertThat(engine.open).isZero();
  }

  @Test
  void closesASnapshotThatArrivesAfterTheClose() {
    Sinks.Empty<Object> later = Sinks.empty();
    engine.before = later.asMono();
    ConsistentReads reads = new ConsistentReads(engine, true);
    var unused = read(reads, range(4)).subscribe(read -> {}, closed -> {});
    reads.close();
    later.tryEmitEmpty();
    assertThat(engine.open).isZero();
  }

  @Test
  void leavesNoSnapshotAfterACancelledRead() {
    Sinks.Empty<Object> later = Sinks.empty();
    engine.before = later.asMono();
    ConsistentReads reads = new ConsistentReads(engine, true);
    Disposable reading = read(reads, range(4)).subscribe();
    reading.dispose();
    reads.close();
    later.tryEmitEmpty();
    assertThat(engine.open).isZero();
  }
}
