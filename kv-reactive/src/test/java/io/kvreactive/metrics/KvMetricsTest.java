package io.kvreactive.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.EnqueueOptions;
import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.search.Search;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(VertxExtension.class)
class KvMetricsTest {
  /** The meter of a queue that is registered after the others, on another thread. */
  private static final String LAST_METER = "kv.queue.oldest.age";

  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @TempDir Path directory;

  private final MeterRegistry registry = new SimpleMeterRegistry();
  private Kv kv;
  private KvMetrics metrics;

  @BeforeEach
  void open(Vertx vertx) {
    kv = Kv.open(vertx, KvOptions.at(directory)).block(TIMEOUT);
    metrics = new KvMetrics(kv, "s");
  }

  @AfterEach
  void close() {
    kv.close().block(TIMEOUT);
  }

  /** Binds the meters; so they show at once what was before, and only later what follows. */
  private void bind() {
    metrics.bindTo(registry);
  }

  private static void until(BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.sleep(20);
    }
  }

  private double gauge(String name, String... tags) {
    Search search = registry.find(name).tags(tags).tag("store", "s");
    return search.gauge() == null ? Double.NaN : search.gauge().value();
  }

  private double counter(String name) {
    return registry.get(name).tag("store", "s").functionCounter().count();
  }

  @Test
  void measuresTheActivityOfTheStore() throws Exception {
    kv.set(KvKey.of("a"), 1).block(TIMEOUT);
    kv.atomic().checkAbsent(KvKey.of("a")).set(KvKey.of("a"), 2).commit().block(TIMEOUT);
    kv.queues().enqueue("message").block(TIMEOUT);
    kv.queues().enqueue("message", EnqueueOptions.to("jobs")).block(TIMEOUT);
    bind();

    until(() -> counter("kv.commits") == 3 && gauge("kv.queue.ready", "queue", "jobs") == 1);
    assertThat(counter("kv.commit.conflicts")).isEqualTo(1);
    assertThat(counter("kv.commit.refused")).isZero();
    assertThat(counter("kv.commit.batches")).isBetween(1.0, 3.0);
    for (String phi : new String[] {"0.5", "0.9", "0.99", "0.999", "1"}) {
      var latency = registry.get("kv.commit.latency").tag("phi", phi).timeGauge();
      assertThat(latency.value(TimeUnit.NANOSECONDS)).isBetween(100.0, 300e9);
    }
    assertThat(gauge("kv.fsync.latency", "phi", "1")).isPositive();
    assertThat(gauge("kv.keys")).isPositive();
    assertThat(gauge("kv.log.size")).isPositive();
    assertThat(gauge("kv.mailbox.commits")).isZero();
    assertThat(gauge("kv.failed")).isZero();
    assertThat(gauge("kv.queue.depth", "queue", "default")).isEqualTo(1);
    assertThat(gauge("kv.queue.depth", "queue", "jobs")).isEqualTo(1);
    assertThat(gauge("kv.queue.ready", "queue", "jobs")).isEqualTo(1);
  }

  @Test
  void registersTheDocumentedMeters() throws Exception {
    kv.queues().enqueue("message").block(TIMEOUT);
    bind();
    until(() -> counter("kv.commits") == 1 && gauge("kv.queue.ready", "queue", "default") == 1);
    until(() -> gauge(LAST_METER, "queue", "default") >= 0);
    Set<String> names = new TreeSet<>();
    registry.getMeters().stream().map(Meter::getId).forEach(id -> names.add(id.getName()));
    assertThat(names)
        .containsExactly(
            "kv.clock.ahead",
            "kv.commit.batches",
            "kv.commit.conflicts",
            "kv.commit.latency",
            "kv.commit.refused",
            "kv.commits",
            "kv.failed",
            "kv.feeds",
            "kv.fsync.latency",
            "kv.image.pages.damaged",
            "kv.image.size",
            "kv.keys",
            "kv.log.segments",
            "kv.log.size",
            "kv.mailbox.commits",
            "kv.mailbox.size",
            "kv.memory.size",
            "kv.queue.consumers",
            "kv.queue.delayed",
            "kv.queue.depth",
            "kv.queue.leased",
            "kv.queue.oldest.age",
            "kv.queue.ready",
            "kv.reads.waiting",
            "kv.snapshots",
            "kv.snapshots.oldest.age",
            "kv.snapshots.oldest.lag",
            "kv.watches");
    assertThat(registry.getMeters()).allMatch(meter -> "s".equals(meter.getId().getTag("store")));
  }

  @Test
  void removesTheMeterOfADrainedQueue() throws Exception {
    kv.queues().enqueue("message").block(TIMEOUT);
    bind();
    until(() -> gauge("kv.keys") > 0 && gauge("kv.queue.depth", "queue", "default") == 1);
    kv.queues()
        .listen(String.class)
        .concatMap(m -> m.ack().thenReturn(1))
        .take(1)
        .blockLast(TIMEOUT);
    until(() -> gauge("kv.keys") >= 0 && registry.find("kv.queue.depth").gauges().isEmpty());
  }

  @Test
  void distinguishesStoresInOneRegistry(Vertx vertx) throws Exception {
    Kv other = Kv.inMemory(vertx).block(TIMEOUT);
    KvMetrics more = new KvMetrics(other, "other", Tag.of("zone", "z"));
    kv.set(KvKey.of("a"), 1).block(TIMEOUT);
    bind();
    other.set(KvKey.of("a"), 1).then(other.set(KvKey.of("b"), 1)).block(TIMEOUT);
    more.bindTo(registry);
    until(() -> counter("kv.commits") == 1);
    Search found = registry.find("kv.commits").tag("store", "other").tag("zone", "z");
    until(() -> found.functionCounter().count() == 2);
    more.close();
    assertThat(found.functionCounter()).isNull();
    assertThat(counter("kv.commits")).isEqualTo(1);
    other.close().block(TIMEOUT);
  }

  @Test
  void removesTheMetersOnClose() throws Exception {
    kv.queues().enqueue("message").block(TIMEOUT);
    bind();
    until(() -> gauge("kv.keys") >= 0 && gauge("kv.queue.depth", "queue", "default") == 1);
    metrics.close();
    metrics.close();
    assertThat(registry.getMeters()).isEmpty();
    assertThatThrownBy(() -> metrics.bindTo(registry)).hasMessageContaining("CLOSED");
    metrics = new KvMetrics(kv, "s");
    bind();
    until(() -> counter("kv.commits") == 1);
  }

  @Test
  void reportsNaNForAClosedStore() throws Exception {
    kv.set(KvKey.of("a"), 1).block(TIMEOUT);
    bind();
    until(() -> gauge("kv.keys") == 1 && counter("kv.commits") == 1);
    kv.close().block(TIMEOUT);
    until(() -> Double.isNaN(gauge("kv.keys")));
    assertThat(counter("kv.commits")).isEqualTo(1);
  }
}
