package io.kvreactive.server.serve;

import io.kvreactive.web.MetricsOptions;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.logging.LogbackMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.VertxBuilder;
import io.vertx.micrometer.Label;
import io.vertx.micrometer.MetricsDomain;
import io.vertx.micrometer.MicrometerMetricsFactory;
import io.vertx.micrometer.MicrometerMetricsOptions;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * The meters of the server other than those of its stores: HTTP, connections, pools and the JVM.
 */
final class MetricsSetup implements AutoCloseable {
  private static final Set<MetricsDomain> LEFT_OUT =
      Set.of(
          MetricsDomain.EVENT_BUS,
          MetricsDomain.VERTICLES,
          MetricsDomain.DATAGRAM_SOCKET,
          MetricsDomain.NAMED_POOLS,
          MetricsDomain.HTTP_CLIENT,
          MetricsDomain.NET_CLIENT);
  private static final double[] BUCKET_MILLIS = {1, 5, 10, 25, 50, 100, 250, 1_000, 10_000};

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics gc = new JvmGcMetrics();
  private final LogbackMetrics log = new LogbackMetrics();

  MetricsSetup() {
    registry.config().meterFilter(buckets()).meterFilter(misleading());
    Stream.of(
            gc,
            log,
            new JvmMemoryMetrics(),
            new JvmThreadMetrics(),
            new ClassLoaderMetrics(),
            new ProcessorMetrics(),
            new FileDescriptorMetrics(),
            new UptimeMetrics())
        .forEach(binder -> binder.bindTo(registry));
  }

  /**
   * Returns a filter that leaves out the gauge of active requests. Vert.x decrements it twice for
   * some requests that are reset, and never for some that are answered before their body. {@code
   * kv.requests.under.way} counts requests instead.
   */
  private static MeterFilter misleading() {
    return MeterFilter.denyNameStartsWith("vertx.http.server.active.requests");
  }

  private static MeterFilter buckets() {
    double[] nanos =
        DoubleStream.of(BUCKET_MILLIS)
            .map(millis -> millis * Duration.ofMillis(1).toNanos())
            .toArray();
    DistributionStatisticConfig config =
        DistributionStatisticConfig.builder().serviceLevelObjectives(nanos).build();
    return new MeterFilter() {
      @Override
      public DistributionStatisticConfig configure(
          Meter.Id id, DistributionStatisticConfig before) {
        return id.getName().equals("vertx.http.server.response.time")
            ? config.merge(before)
            : before;
      }
    };
  }

  MetricsOptions options(boolean shownToAll) {
    return new MetricsOptions(registry, registry::scrape, shownToAll);
  }

  /**
   * Configures Vert.x to record metrics. The route label has patterns, whose number is limited, and
   * never paths, because callers could create any number of them.
   */
  VertxBuilder measure(VertxBuilder builder) {
    MicrometerMetricsOptions options =
        new MicrometerMetricsOptions()
            .setEnabled(true)
            .setLabels(
                EnumSet.of(Label.HTTP_METHOD, Label.HTTP_CODE, Label.HTTP_ROUTE, Label.POOL_TYPE));
    LEFT_OUT.forEach(options::addDisabledMetricsCategory);
    return builder
        .with(new io.vertx.core.VertxOptions().setMetricsOptions(options))
        .withMetrics(new MicrometerMetricsFactory(registry));
  }

  @Override
  public void close() {
    gc.close();
    log.close();
    registry.close();
  }
}
