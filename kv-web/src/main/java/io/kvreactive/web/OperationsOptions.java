package io.kvreactive.web;

import io.kvreactive.KvOptions;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.immutables.value.Value;
import org.jspecify.annotations.Nullable;

/**
 * Options for operating a server. Immutable; start from {@link #DEFAULT}.
 *
 * @param meters the registry that {@code /metrics} exposes, to which the server adds the meters of
 *     its stores; null disables {@code /metrics}
 * @param metricsPublic true if remote callers may read {@code /metrics} without a token
 * @param accessLog true if every request is logged, at INFO under {@code access}
 * @param drainDelay the time for which {@code /readyz} reports the stop before the server rejects
 *     requests, so that load balancers notice
 * @param stores the options of each store that is opened
 * @param allowLazy true if collections may use the indexing mode lazy
 */
@Value.Builder
public record OperationsOptions(
    @Nullable PrometheusMeterRegistry meters,
    boolean metricsPublic,
    boolean accessLog,
    Duration drainDelay,
    UnaryOperator<KvOptions> stores,
    boolean allowLazy)
    implements WithOperationsOptions {
  /**
   * The default options: no metrics, no access log, no delay, unchanged store options, and no lazy
   * collections.
   */
  public static final OperationsOptions DEFAULT =
      new OperationsOptionsBuilder()
          .metricsPublic(false)
          .accessLog(false)
          .drainDelay(Duration.ZERO)
          .stores(UnaryOperator.identity())
          .allowLazy(false)
          .build();

  /** Returns these options with metrics. */
  public OperationsOptions withMeters(PrometheusMeterRegistry registry, boolean shownToAll) {
    return withMeters(registry).withMetricsPublic(shownToAll);
  }
}
