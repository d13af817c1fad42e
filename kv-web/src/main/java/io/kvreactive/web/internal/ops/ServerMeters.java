package io.kvreactive.web.internal.ops;

import io.kvreactive.Kv;
import io.kvreactive.metrics.KvMetrics;
import io.kvreactive.web.MetricsOptions;
import io.kvreactive.web.internal.database.Database;
import io.kvreactive.web.internal.http.ByteBudget;
import io.kvreactive.web.internal.http.Lifecycle;
import io.kvreactive.web.internal.http.ServerMemory;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one server, which its event loops share. Registers the gauges of the server once,
 * and those of each store once. Counts even without a registry. Thread-safe.
 */
public final class ServerMeters {
  private final Map<Kv, KvMetrics> stores = new ConcurrentHashMap<>();
  private final LongAdder streamConnections = new LongAdder();
  private final LongAdder streamSubscriptions = new LongAdder();
  private final LongAdder streamWaitingBytes = new LongAdder();

  /**
   * Creates the meters and registers the gauges of the server.
   *
   * @param metrics the options of {@code /metrics}; null if it is disabled
   */
  public ServerMeters(@Nullable MetricsOptions metrics, Lifecycle lifecycle, ServerMemory memory) {
    if (metrics != null) {
      MeterRegistry registry = metrics.registry();
      Gauge.builder("kv.requests.under.way", lifecycle, Lifecycle::underWay)
          .description("Pending requests of databases, without WebSockets")
          .register(registry);
      gauge(registry, "kv.stream.connections", "Open WebSockets", streamConnections);
      gauge(
          registry,
          "kv.stream.subscriptions",
          "Subscriptions of all WebSockets",
          streamSubscriptions);
      gauge(
          registry,
          "kv.stream.waiting",
          "Bytes written to WebSockets that their sockets have not accepted",
          streamWaitingBytes);
      Gauge.builder("kv.memory.budget", memory, ServerMemory::most)
          .description("Maximum memory of requests, responses and WebSockets together")
          .baseUnit("bytes")
          .register(registry);
      memory.forEach(
          (kind, budget) ->
              Gauge.builder("kv.memory.held", budget, ByteBudget::taken)
                  .description("Estimated memory of requests, responses and WebSockets")
                  .baseUnit("bytes")
                  .tag("kind", kind)
                  .register(registry));
    }
  }

  private static void gauge(MeterRegistry registry, String name, String what, LongAdder value) {
    Gauge.builder(name, value, LongAdder::sum).description(what).register(registry);
  }

  /** Returns the number of open WebSockets. */
  public LongAdder streamConnections() {
    return streamConnections;
  }

  /** Returns the number of subscriptions on all WebSockets. */
  public LongAdder streamSubscriptions() {
    return streamSubscriptions;
  }

  /** Returns the number of bytes written to WebSockets that the sockets have not accepted. */
  public LongAdder streamWaitingBytes() {
    return streamWaitingBytes;
  }

  /** Registers the meters of a store unless they are registered already. */
  void bind(Database database, MeterRegistry to) {
    stores.computeIfAbsent(
        database.kv(),
        kv -> {
          KvMetrics metrics = new KvMetrics(kv, database.name());
          metrics.bindTo(to);
          return metrics;
        });
  }
}
