package io.kvreactive.metrics;

import io.kvreactive.Kv;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvStats;
import io.kvreactive.LatencySummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Exports a store's {@linkplain KvAdmin#stats statistics} as meters: {@code new KvMetrics(kv,
 * "orders") .bindTo(registry)}. The name becomes the tag {@code store} of every meter, which
 * distinguishes the stores of one registry. Closing removes the meters from their registries and
 * leaves the store open.
 *
 * <p>Reading a meter never blocks: it requests new statistics in the background, at most once a
 * second, and returns the last ones received. Gauges are NaN until the first answer, and when the
 * store does not answer, as after it was closed.
 *
 * <p>Counters are {@code kv.commits}, {@code kv.commit.conflicts}, {@code kv.commit.refused} and
 * {@code kv.commit.batches}. Gauges in seconds are {@code kv.commit.latency} and {@code
 * kv.fsync.latency}, over the last one to two minutes, with a tag {@code phi} for the percentile
 * ({@code 0.5}, {@code 0.9}, {@code 0.99}, {@code 0.999}, and {@code 1} for the maximum); {@code
 * kv.snapshots.oldest.age}; {@code kv.clock.ahead}; {@code kv.queue.oldest.age}. Gauges in bytes
 * are {@code kv.image.size}, {@code kv.log.size}, {@code kv.memory.size} and {@code
 * kv.mailbox.size}. Other gauges are {@code kv.keys}, {@code kv.image.pages.damaged}, {@code
 * kv.log.segments}, {@code kv.mailbox.commits}, {@code kv.reads.waiting}, {@code kv.snapshots},
 * {@code kv.snapshots.oldest.lag} (commits), {@code kv.watches}, {@code kv.feeds}, and {@code
 * kv.failed}, which is 1 when the store takes no commits. Gauges with a tag {@code queue} are
 * {@code kv.queue.depth}, {@code kv.queue.ready}, {@code kv.queue.leased}, {@code
 * kv.queue.delayed}, {@code kv.queue.consumers} and {@code kv.queue.oldest.age}; for the queue with
 * the empty name the tag is {@code default}.
 */
public final class KvMetrics implements MeterBinder, AutoCloseable {
  private static final long REFRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final Map<String, Function<LatencySummary, Duration>> PERCENTILES =
      Map.of(
          "0.5", LatencySummary::p50,
          "0.9", LatencySummary::p90,
          "0.99", LatencySummary::p99,
          "0.999", LatencySummary::p999,
          "1", LatencySummary::max);

  private final Kv kv;
  private final Tags tags;
  private final List<QueueMeters> queues = new ArrayList<>(); // guarded by this
  private final List<Runnable> removals = new ArrayList<>(); // guarded by this
  private boolean closed; // guarded by this
  private final AtomicBoolean asking = new AtomicBoolean();
  private volatile long askedAt = System.nanoTime() - REFRESH_NANOS;
  private volatile @Nullable KvStats latest;
  private volatile KvStats.@Nullable Commits counted;

  /** Creates the meters of a store, with its name as tag {@code store} and additional tags. */
  public KvMetrics(Kv kv, String store, Tag... tags) {
    this(kv, Tags.of(tags).and("store", store));
  }

  /**
   * Creates the meters of a store, with additional tags. Without any tags, they are those of the
   * only store of the registry.
   */
  public KvMetrics(Kv kv, Tag... tags) {
    this(kv, Tags.of(tags));
  }

  /** Creates the meters of a store, with additional tags. */
  public KvMetrics(Kv kv, Iterable<Tag> tags) {
    this.kv = kv;
    this.tags = Tags.of(tags);
  }

  @Override
  public synchronized void bindTo(MeterRegistry registry) {
    if (closed) {
      throw new KvException(KvErrorCode.CLOSED, "the meters of a store are closed");
    }
    Binding to = new Binding(registry);
    to.counter("kv.commits", "Commits that took effect", KvStats.Commits::commits);
    to.counter("kv.commit.conflicts", "Commits whose checks failed", KvStats.Commits::conflicts);
    to.counter(
        "kv.commit.refused",
        "Commits rejected because the mailbox is full",
        KvStats.Commits::refused);
    to.counter("kv.commit.batches", "Writes of the log", KvStats.Commits::batches);
    to.latency(
        "kv.commit.latency",
        "Time from a commit's arrival to its answer",
        s -> s.commits().latency());
    to.latency("kv.fsync.latency", "Duration of syncs of the log", s -> s.commits().sync());
    to.gauge("kv.mailbox.commits", "Waiting commits", s -> s.commits().waiting());
    to.bytes("kv.mailbox.size", "Size of waiting commits", s -> s.commits().waitingBytes());
    to.gauge("kv.keys", "Approximate number of keys", s -> s.storage().keys());
    to.bytes("kv.image.size", "Size of the image", s -> s.storage().imageBytes());
    to.gauge(
        "kv.image.pages.damaged",
        "Pages of the image that do not match their checksums",
        s -> s.storage().damagedPages());
    to.bytes("kv.log.size", "Size of the log", s -> s.storage().logBytes());
    to.gauge("kv.log.segments", "Files of the log", s -> s.storage().logSegments());
    to.bytes(
        "kv.memory.size", "Commits in memory that the image lacks", s -> s.storage().memoryBytes());
    to.gauge("kv.reads.waiting", "Waiting reads", s -> s.readers().waiting());
    to.gauge("kv.snapshots", "Held snapshots", s -> s.readers().snapshots());
    to.gauge(
        "kv.snapshots.oldest.lag",
        "Commits after the oldest snapshot",
        s -> s.readers().oldestSnapshotLag());
    to.seconds(
        "kv.snapshots.oldest.age",
        "Age of the oldest snapshot",
        Tags.empty(),
        s -> s.readers().oldestSnapshotAge());
    to.gauge("kv.watches", "Watches", s -> s.readers().watches());
    to.gauge("kv.feeds", "Change feeds", s -> s.readers().feeds());
    to.gauge(
        "kv.failed", "1 if the store takes no commits, else 0", s -> s.failure() == null ? 0 : 1);
    to.seconds(
        "kv.clock.ahead",
        "Distance of the store's time from the wall clock",
        Tags.empty(),
        s -> s.clock() == null ? Duration.ZERO : s.clock().ahead());
    QueueMeters ofQueues = new QueueMeters(registry, tags);
    queues.add(ofQueues);
    removals.add(() -> ofQueues.update(List.of()));
    refresh();
  }

  /** Removes the meters from every registry to which they were bound. Idempotent. */
  @Override
  public synchronized void close() {
    closed = true;
    queues.clear();
    removals.forEach(Runnable::run);
    removals.clear();
  }

  /** Returns the last statistics received, and requests new ones if those are old. */
  private @Nullable KvStats latest() {
    refresh();
    return latest;
  }

  private void refresh() {
    if (System.nanoTime() - askedAt < REFRESH_NANOS || !asking.compareAndSet(false, true)) {
      return;
    }
    askedAt = System.nanoTime();
    var unused =
        kv.admin()
            .stats()
            .doFinally(ignored -> asking.set(false))
            .subscribe(this::answered, failure -> latest = null);
  }

  private void answered(KvStats stats) {
    latest = stats;
    counted = stats.commits();
    updateQueues(stats);
  }

  private synchronized void updateQueues(KvStats stats) {
    queues.forEach(meters -> meters.update(stats.queues()));
  }

  private double counted(ToLongFunction<KvStats.Commits> counter) {
    refresh();
    KvStats.Commits commits = counted;
    return commits == null ? 0 : counter.applyAsLong(commits);
  }

  private double value(ToDoubleFunction<KvStats> gauge) {
    KvStats stats = latest();
    return stats == null ? Double.NaN : gauge.applyAsDouble(stats);
  }

  /**
   * Registers meters that hold a strong reference to the enclosing object; a registry holds a weak
   * one.
   */
  private final class Binding {
    private final MeterRegistry registry;

    Binding(MeterRegistry registry) {
      this.registry = registry;
    }

    private void keep(Meter meter) {
      removals.add(() -> registry.remove(meter));
    }

    void counter(String name, String description, ToLongFunction<KvStats.Commits> counter) {
      KvMetrics self = KvMetrics.this;
      keep(
          FunctionCounter.builder(name, self, ignored -> self.counted(counter))
              .description(description)
              .tags(tags)
              .register(registry));
    }

    void gauge(String name, String description, ToDoubleFunction<KvStats> gauge) {
      keep(
          Gauge.builder(name, () -> value(gauge))
              .description(description)
              .tags(tags)
              .register(registry));
    }

    void bytes(String name, String description, ToDoubleFunction<KvStats> gauge) {
      keep(
          Gauge.builder(name, () -> value(gauge))
              .description(description)
              .baseUnit("bytes")
              .tags(tags)
              .register(registry));
    }

    void seconds(String name, String description, Tags more, Function<KvStats, Duration> gauge) {
      keep(
          TimeGauge.builder(name, () -> value(s -> gauge.apply(s).toNanos()), TimeUnit.NANOSECONDS)
              .description(description)
              .tags(tags.and(more))
              .register(registry));
    }

    void latency(String name, String description, Function<KvStats, LatencySummary> latency) {
      PERCENTILES.forEach(
          (phi, percentile) ->
              seconds(name, description, Tags.of("phi", phi), latency.andThen(percentile)));
    }
  }
}
