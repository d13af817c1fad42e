package io.kvreactive.metrics;

import io.kvreactive.KvStats;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The gauges of the queues of one store in one registry. Queues are added and removed by updates.
 */
final class QueueMeters {
  private static final double NANOS = 1e9;

  private final List<Column> columns;

  private record Column(MultiGauge gauge, ToDoubleFunction<KvStats.Queue> value) {}

  QueueMeters(MeterRegistry registry, Tags tags) {
    columns =
        List.of(
            column("depth", "Messages", "messages", KvStats.Queue::depth, registry, tags),
            column(
                "ready",
                "Messages that could be delivered now",
                "messages",
                KvStats.Queue::ready,
                registry,
                tags),
            column("leased", "Leased messages", "messages", KvStats.Queue::leased, registry, tags),
            column(
                "delayed", "Delayed messages", "messages", KvStats.Queue::delayed, registry, tags),
            column(
                "consumers",
                "Waiting consumers",
                "consumers",
                KvStats.Queue::consumers,
                registry,
                tags),
            column(
                "oldest.age",
                "Time for which the first message has been ready",
                "seconds",
                queue -> queue.oldestReady().toNanos() / NANOS,
                registry,
                tags));
  }

  private static Column column(
      String name,
      String description,
      String unit,
      ToDoubleFunction<KvStats.Queue> value,
      MeterRegistry registry,
      Tags tags) {
    MultiGauge gauge =
        MultiGauge.builder("kv.queue." + name)
            .description(description)
            .baseUnit(unit)
            .tags(tags)
            .register(registry);
    return new Column(gauge, value);
  }

  void update(List<KvStats.Queue> queues) {
    for (Column column : columns) {
      List<Row<?>> rows =
          queues.stream()
              .<Row<?>>map(queue -> Row.of(name(queue), column.value.applyAsDouble(queue)))
              .toList();
      column.gauge.register(rows, true);
    }
  }

  private static Tags name(KvStats.Queue queue) {
    return Tags.of("queue", queue.name().isEmpty() ? "default" : queue.name());
  }
}
