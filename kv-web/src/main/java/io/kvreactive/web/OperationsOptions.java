package io.kvreactive.web;

import io.kvreactive.KvOptions;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * How a server is operated. Immutable; start from {@link #DEFAULT}.
 *
 * @param meters what {@code /metrics} shows, to which the server adds those of its stores; null:
 *     there is no {@code /metrics}
 * @param metricsPublic whether {@code /metrics} is shown without a token to callers from elsewhere
 * @param accessLog whether every request is logged, at INFO under {@code access}
 * @param drainDelay for how long {@code /readyz} says that the server is being stopped before it
 *     takes no more requests, so that load balancers notice
 * @param stores the options of each store that is opened
 * @param allowLazy whether collections may get the indexing mode lazy
 */
public record OperationsOptions(
    @Nullable PrometheusMeterRegistry meters,
    boolean metricsPublic,
    boolean accessLog,
    Duration drainDelay,
    UnaryOperator<KvOptions> stores,
    boolean allowLazy) {
  /** No metrics, no access log, no delay, stores as they are, and no lazy collections. */
  public static final OperationsOptions DEFAULT =
      new OperationsOptions(null, false, false, Duration.ZERO, UnaryOperator.identity(), false);

  /** With metrics. */
  public OperationsOptions withMeters(PrometheusMeterRegistry registry, boolean shownToAll) {
    return new OperationsOptions(registry, shownToAll, accessLog, drainDelay, stores, allowLazy);
  }

  /** With or without an access log. */
  public OperationsOptions withAccessLog(boolean wanted) {
    return new OperationsOptions(meters, metricsPublic, wanted, drainDelay, stores, allowLazy);
  }

  /** With a pause before requests are refused. */
  public OperationsOptions withDrainDelay(Duration delay) {
    return new OperationsOptions(meters, metricsPublic, accessLog, delay, stores, allowLazy);
  }

  /** With stores of other options. */
  public OperationsOptions withStores(UnaryOperator<KvOptions> configure) {
    return new OperationsOptions(
        meters, metricsPublic, accessLog, drainDelay, configure, allowLazy);
  }

  /** With lazy collections, or without. */
  public OperationsOptions withAllowLazy(boolean allow) {
    return new OperationsOptions(meters, metricsPublic, accessLog, drainDelay, stores, allow);
  }
}
