package io.kvreactive;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.kvreactive.ListOptions.Consistency;
import io.vertx.core.AbstractVerticle;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.internal.threadchecker.BlockedThreadChecker;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A heavy mixed load from an event loop never blocks the event loop, according to the checker of
 * Vert.x.
 */
@Timeout(600) // repeated if the whole machine has paused
class EventLoopLoadTest {
  private static final int WRITES = 20_000;
  private static final int MAX_RUNS = 5;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(80);

  @TempDir Path directory;
  private Vertx vertx;
  private final Warnings warnings = new Warnings();
  private final Logger checker = (Logger) LoggerFactory.getLogger(BlockedThreadChecker.LOGGER_NAME);

  @BeforeEach
  void start() {
    vertx =
        Vertx.vertx(
            new VertxOptions()
                .setMaxEventLoopExecuteTime(200)
                .setMaxEventLoopExecuteTimeUnit(TimeUnit.MILLISECONDS)
                .setBlockedThreadCheckInterval(50)
                .setBlockedThreadCheckIntervalUnit(TimeUnit.MILLISECONDS));
    warnings.start();
    checker.addAppender(warnings);
  }

  @AfterEach
  void stop() throws Exception {
    checker.detachAppender(warnings);
    vertx.close().await(60, TimeUnit.SECONDS);
  }

  @Test
  void blocksNoEventLoopUnderHeavyMixedLoad() throws Exception {
    boolean paused = true;
    for (int run = 0; paused && run < MAX_RUNS; run++) {
      warnings.texts.clear();
      KvOptions options = KvOptions.at(directory.resolve("" + run)).withMemoryBytes(1 << 20);
      try (Bystander bystander = new Bystander()) {
        warnings.bystander = bystander;
        vertx
            .deployVerticle(new Load(options, bystander.eventLoop::set))
            .await(100, TimeUnit.SECONDS);
        paused =
            !warnings.texts.isEmpty()
                && (bystander.longest() > PAUSE_NANOS || warnings.allOfStarved);
      }
    }
    assertThat(warnings.texts).isEmpty();
  }

  /** Warnings of the blocked-thread checker, and the starved threads among them. */
  private static final class Warnings extends AppenderBase<ILoggingEvent> {
    final Queue<String> texts = new ConcurrentLinkedQueue<>();
    volatile Bystander bystander;
    volatile boolean allOfStarved = true;

    @Override
    protected void append(ILoggingEvent event) {
      boolean starved = bystander.eventLoopIsStarved();
      allOfStarved = starved && (texts.isEmpty() || allOfStarved);
      texts.add(event.getFormattedMessage() + (starved ? " (without a processor)" : ""));
    }
  }

  /**
   * A thread apart from the store that measures how late it wakes up, and the CPU time of the event
   * loop. A warning does not concern the store if the collector or the machine has delayed this
   * thread too, or has left the event loop without a processor.
   */
  private static final class Bystander implements AutoCloseable {
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final int STEPS = 40; // the maximum busy time of an event loop
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    final AtomicReference<Thread> eventLoop = new AtomicReference<>();
    private final AtomicLong longest = new AtomicLong();
    private final ConcurrentLinkedDeque<Long> worked = new ConcurrentLinkedDeque<>();
    private volatile boolean stopped;

    Bystander() {
      Thread thread = new Thread(this::watch, "bystander");
      thread.setDaemon(true);
      thread.start();
    }

    private void watch() {
      long last = System.nanoTime();
      while (!stopped) {
        LockSupport.parkNanos(STEP_NANOS);
        long now = System.nanoTime();
        longest.accumulateAndGet(now - last, Math::max);
        last = now;
        Thread watched = eventLoop.get();
        if (watched != null) {
          worked.addLast(THREADS.getThreadCpuTime(watched.getId()));
          if (worked.size() > STEPS) {
            worked.removeFirst();
          }
        }
      }
    }

    long longest() {
      return longest.get();
    }

    /**
     * Returns true if the event loop is runnable, is not in a system call and yet received hardly
     * any CPU time while it was seen busy.
     */
    boolean eventLoopIsStarved() {
      Thread watched = eventLoop.get();
      Long before = worked.peekFirst();
      if (watched == null || before == null || watched.getState() != Thread.State.RUNNABLE) {
        return false;
      }
      StackTraceElement[] stack = watched.getStackTrace();
      boolean inCall = stack.length > 0 && stack[0].isNativeMethod();
      long since = THREADS.getThreadCpuTime(watched.getId()) - before;
      return !inCall && since < STEPS * STEP_NANOS / 4;
    }

    @Override
    public void close() {
      stopped = true;
    }
  }

  /** Opens, loads and closes a store, all from its event loop. */
  private static final class Load extends AbstractVerticle {
    private final KvOptions options;
    private final Consumer<Thread> runsOn;

    Load(KvOptions options, Consumer<Thread> runsOn) {
      this.options = options;
      this.runsOn = runsOn;
    }

    @Override
    public void start(Promise<Void> done) {
      runsOn.accept(Thread.currentThread());
      Kv.open(vertx, options)
          .flatMap(kv -> warmUp(kv).then(load(kv)).then(kv.close()))
          .timeout(Duration.ofSeconds(90))
          .subscribe(ignored -> {}, done::fail, done::complete);
    }

    /** Loads classes and creates the first pages before the measurement. */
    private static Mono<?> warmUp(Kv kv) {
      return writes(kv, 500).then(kv.list(KvRange.all()).count());
    }

    private static Mono<?> writes(Kv kv, int count) {
      return Flux.range(0, count)
          .flatMap(i -> kv.set(KvKey.of("n", i), "x".repeat(i % 50 == 0 ? 50_000 : 100)), 256)
          .then();
    }

    private static Mono<?> load(Kv kv) {
      ListOptions snapshot = ListOptions.DEFAULT.withConsistency(Consistency.SNAPSHOT);
      KvRange range = KvRange.prefix("n");
      List<KvKey> keys =
          java.util.stream.IntStream.range(0, 1000).mapToObj(i -> KvKey.of("n", i)).toList();
      var watch = kv.watch(KvKey.of("n", 1)).subscribe();
      return Flux.merge(
              writes(kv, WRITES),
              kv.list(range).count().repeat(10),
              kv.list(range, snapshot).retry(100).count().repeat(5),
              kv.getMany(keys).retry(100).count().repeat(10),
              kv.count(range).retry(100).repeat(10),
              Flux.range(0, 5000).flatMap(i -> kv.get(KvKey.of("n", i)), 64),
              kv.atomic()
                  .deleteRange(KvRange.prefix("n", 3))
                  .sum(KvKey.of("s"), 1)
                  .commit()
                  .repeat(500))
          .then(kv.count(range))
          .doOnNext(count -> assertThat(count).isEqualTo(WRITES))
          .doFinally(ignored -> watch.dispose());
    }
  }
}
